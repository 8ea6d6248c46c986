"""Several values in one argument, separated by semicolons."""

import argparse


def names(text: str) -> tuple[str, ...]:
    """The names, without blanks around them; for ``type=`` of an argument.

    Raises:
        argparse.ArgumentTypeError: there is none.
    """
    found = tuple(part.strip() for part in text.split(";") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected names separated by semicolons")
    return found


def numbers(text: str) -> tuple[int, ...]:
    """The whole numbers of at least 1; for ``type=`` of an argument.

    Raises:
        argparse.ArgumentTypeError: there is none, or something else.
    """
    parts = [part.strip() for part in text.split(";")]
    if not all(part.isascii() and part.isdigit() and int(part) >= 1 for part in parts):
        raise argparse.ArgumentTypeError(
            f"got {text!r}; expected whole numbers of at least 1, separated by semicolons"
        )
    return tuple(map(int, parts))
