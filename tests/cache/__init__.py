"""What providers cache, and what a session costs."""
