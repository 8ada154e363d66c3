"""Text of a pull request, as a SARIF log may hold it."""

from comparison.secret_text import without_secrets


def harmless(text: str) -> str:
    """Return the text without secrets and without links."""
    # SARIF reads `[text](address)` in a message as a link.
    return without_secrets(text).replace("](", "] (")
