"""What several functions ask of their arguments. It imports nothing of ullage, so that all of it can import this."""

import sys


def whole_number(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number, or is below the least, by its name.

    Raises:
        TypeError: when it is no int.
        ValueError: when it is below ``least``.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be int, not {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} is {value}; it is at least {least}")


def finite_number(name: str, value: object) -> None:
    """Refuse what is no number, or is negative, infinite or NaN, by its name.

    Raises:
        TypeError: when it is neither int nor float.
        ValueError: when it is below 0 or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not 0 <= value <= sys.float_info.max:
        raise ValueError(f"{name} is {value}; it is at least 0, and finite")
