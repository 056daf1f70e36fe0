//! A fixed ring of samples with a running mean, for sensors that never stop talking.

use std::fmt;

/// Keeps the last `N` samples. Pushing into a full ring forgets the oldest one.
#[derive(Debug, Clone)]
pub struct Ring<const N: usize> {
    samples: [f32; N],
    next: usize,
    len: usize,
}

/// Why a sample was refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refused {
    NotFinite,
    OutOfRange { low: f32, high: f32, got: f32 },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite => f.write_str("sample is not a finite number"),
            Self::OutOfRange { low, high, got } => write!(f, "sample {got} is outside {low}..={high}"),
        }
    }
}

impl std::error::Error for Refused {}

impl<const N: usize> Ring<N> {
    pub const fn new() -> Self {
        Self { samples: [0.0; N], next: 0, len: 0 }
    }

    pub fn push(&mut self, sample: f32) -> Result<Option<f32>, Refused> {
        if !sample.is_finite() {
            return Err(Refused::NotFinite);
        }
        let slot = &mut self.samples[self.next];
        let old = std::mem::replace(slot, sample);
        let evicted = (self.len == N).then_some(old);
        self.next = (self.next + 1) % N;
        self.len = (self.len + 1).min(N);
        Ok(evicted)
    }

    pub fn mean(&self) -> Option<f32> {
        let filled = &self.samples[..self.len];
        (!filled.is_empty()).then(|| filled.iter().sum::<f32>() / filled.len() as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_oldest() {
        let mut ring = Ring::<3>::new();
        for sample in [1.0, 2.0, 3.0] {
            assert_eq!(ring.push(sample), Ok(None));
        }
        assert_eq!(ring.push(7.0), Ok(Some(1.0)));
        assert_eq!(ring.mean(), Some(4.0));
        assert_eq!(ring.push(f32::NAN), Err(Refused::NotFinite));
    }
}
