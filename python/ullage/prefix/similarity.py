"""How much two texts share."""


def similar(old: str, new: str) -> bool:
    """Whether what two texts share at the start and the end is half of the shorter one.

    >>> similar("It is 17:11 now.", "It is 17:12 now."), similar("Yes", "No")
    (True, False)
    """
    shortest = min(len(old), len(new))
    start = shared(old, new)
    end = shared(old[start:][::-1], new[start:][::-1])
    return 2 * (start + end) >= shortest > 0


def shared(old: str, new: str) -> int:
    """How many characters two texts share from the start."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
