"""Shortening a history that is too long: what may leave (`policy`), where (`layout`), and what does (`plan`)."""
