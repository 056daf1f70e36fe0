"""Sharing out a budget: what a request is made of (`section`), what may leave of it (`keep`), and what does."""
