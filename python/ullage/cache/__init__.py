"""What providers cache of a prompt, and what a session costs by that."""
