//! Memory that ends where reading on is a fault.

use std::{io, ptr, slice};

const PAGE: usize = 4096;

/// Two pages that can be used, between two that cannot be touched.
pub struct Guarded(*mut u8);

impl Guarded {
    pub const LENGTH: usize = 2 * PAGE;

    pub fn new() -> Self {
        let size = Self::LENGTH + 2 * PAGE;
        // SAFETY: a new private mapping that nothing else knows; the range opened lies inside it.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED, "{}", io::Error::last_os_error());
            let usable = start.cast::<u8>().add(PAGE);
            let opened = libc::mprotect(usable.cast(), Self::LENGTH, libc::PROT_READ | libc::PROT_WRITE);
            assert_eq!(opened, 0, "{}", io::Error::last_os_error());
            Self(usable)
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the pages are mapped, zeroed by the system, and lent no longer than `self`.
        unsafe { slice::from_raw_parts_mut(self.0, Self::LENGTH) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, whole; what was lent from it is gone.
        unsafe { libc::munmap(self.0.sub(PAGE).cast(), Self::LENGTH + 2 * PAGE) };
    }
}
