"""Numbers in sentences."""


def in_words(number: int, noun: str) -> str:
    """Return the number with its noun, in the plural unless it is one: 1 GPU, 4 GPUs."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
