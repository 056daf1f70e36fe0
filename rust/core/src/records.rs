//! What is remembered of a message once it has been estimated, and how records are matched with an edited list.

use std::collections::HashMap;

/// What a part of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Prose, or anything else that is sent as text.
    Text,
    /// A tool's name and arguments, as the model called it.
    ToolCall,
    /// What a tool gave back.
    ToolResult,
    /// Reasoning that is sent back to the model.
    Thinking,
    /// A picture, by its formula.
    Image,
    /// A file.
    Document,
    /// Sound.
    Audio,
}

impl Kind {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::ToolCall, Self::ToolResult, Self::Thinking, Self::Image, Self::Document, Self::Audio];

    /// The word for this kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Thinking => "thinking",
            Self::Image => "image",
            Self::Document => "document",
            Self::Audio => "audio",
        }
    }

    /// The kind that a word names.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One part of a message. `S` is how the owner holds a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<S> {
    /// What it is.
    pub kind: Kind,
    /// Its cost in tokens.
    pub tokens: u32,
    /// The call that it makes or answers.
    pub call_id: Option<S>,
}

/// One message: a few dozen bytes that stand for it in every later decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<S> {
    /// Who speaks.
    pub role: S,
    /// Tokens of framing around the parts.
    pub frame: u32,
    /// The parts in the order in which they are sent.
    pub parts: Box<[Part<S>]>,
    /// The whole message's cost in tokens: framing and parts.
    pub tokens: u32,
}

impl<S> Record<S> {
    /// `None` when the message costs more tokens than 32 bits hold.
    #[must_use]
    pub fn new(role: S, frame: u32, parts: Box<[Part<S>]>) -> Option<Self> {
        let tokens = parts.iter().try_fold(frame, |sum, part| sum.checked_add(part.tokens))?;
        Some(Self { role, frame, parts, tokens })
    }
}

/// Old messages by their digests, each to be taken once.
///
/// Building it and taking all is linear. Which of several equal messages is which does not matter, for they are equal.
pub struct Matcher {
    earliest: HashMap<u128, usize>,
    next_equal: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Matcher {
    /// A matcher of old messages, given their digests in order.
    #[must_use]
    pub fn new(old: &[u128]) -> Self {
        let mut earliest = HashMap::with_capacity(old.len());
        let mut next_equal = vec![None; old.len()];
        for (index, digest) in old.iter().enumerate().rev() {
            next_equal[index] = earliest.insert(*digest, index);
        }
        Self { earliest, next_equal, taken: vec![false; old.len()] }
    }

    /// Takes the message at `index`; false when it is already taken or not there.
    pub fn take_at(&mut self, index: usize) -> bool {
        self.taken.get_mut(index).is_some_and(|taken| !std::mem::replace(taken, true))
    }

    /// Takes the earliest message with this digest, and gives its index.
    pub fn take(&mut self, digest: u128) -> Option<usize> {
        let earliest = self.earliest.get_mut(&digest)?;
        while self.taken[*earliest] {
            *earliest = self.next_equal[*earliest]?;
        }
        self.taken[*earliest] = true;
        Some(*earliest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kind, Matcher, Part, Record};

    #[test]
    fn kinds_are_found_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("poem"), None);
    }

    #[test]
    fn a_record_adds_up() {
        let part = |tokens| Part { kind: Kind::Text, tokens, call_id: None };
        let record = Record::new("user", 4, Box::new([part(10), part(20)])).unwrap();
        assert_eq!(record.tokens, 34);
        assert_eq!(Record::new("user", 4, Box::new([part(u32::MAX - 4)])).unwrap().tokens, u32::MAX);
        assert_eq!(Record::new("user", 4, Box::new([part(u32::MAX - 3)])), None);
    }

    fn take_all(old: &[u128], new: &[u128]) -> Vec<Option<usize>> {
        let mut matcher = Matcher::new(old);
        new.iter().map(|digest| matcher.take(*digest)).collect()
    }

    #[test]
    fn an_insertion_a_deletion_and_a_move_are_matched() {
        assert_eq!(take_all(&[1, 2, 3], &[1, 9, 2, 3]), [Some(0), None, Some(1), Some(2)]);
        assert_eq!(take_all(&[1, 2, 3], &[1, 3]), [Some(0), Some(2)]);
        assert_eq!(take_all(&[1, 2, 3], &[3, 1, 2]), [Some(2), Some(0), Some(1)]);
        assert_eq!(take_all(&[7, 7], &[7, 7, 7]), [Some(0), Some(1), None]);
    }

    proptest! {
        #[test]
        fn each_is_taken_once_and_the_earliest_first(
            old in proptest::collection::vec(0_u128..6, 0..12),
            requests in proptest::collection::vec(prop_oneof![(0_u128..7).prop_map(Ok), (0_usize..13).prop_map(Err)], 0..20),
        ) {
            let mut matcher = Matcher::new(&old);
            let mut left: Vec<_> = old.iter().copied().map(Some).collect();
            for request in requests {
                match request {
                    Ok(digest) => {
                        let expected = left.iter().position(|left| *left == Some(digest));
                        prop_assert_eq!(matcher.take(digest), expected);
                        if let Some(index) = expected {
                            left[index] = None;
                        }
                    }
                    Err(index) => {
                        let expected = left.get_mut(index).and_then(Option::take).is_some();
                        prop_assert_eq!(matcher.take_at(index), expected);
                    }
                }
            }
        }
    }
}
