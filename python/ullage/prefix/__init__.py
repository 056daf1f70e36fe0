"""What two requests share from the start, in the order in which a provider puts a prompt together."""
