"""The forms that a text setting can be required to have, and how a person is told of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextForm:
    """One form of text."""

    pattern: str
    words: str
    example: str
    """A well-formed value; {} stands for what was typed."""


DNS_LABEL = TextForm(
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "small letters, digits and hyphens, as in Kubernetes names", "{}"
)
DNS_NAME = TextForm(
    r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
    "small letters, digits, hyphens and dots, as in Kubernetes names",
    "{}",
)
VERSION = TextForm(
    r"^[0-9]+\.[0-9]+\.[0-9]+$", 'a version of three numbers in quotes, as in "1.2.1"', "1.2.1"
)
VOLUME_SIZE = TextForm(r"^[1-9][0-9]*(Gi|Ti)$", "a size such as 100Gi or 2Ti", "{}Gi")

_ANY_TEXT = TextForm("", "text", "{}")
_FORMS = {form.pattern: form for form in (DNS_LABEL, DNS_NAME, VERSION, VOLUME_SIZE)}


def form_of_pattern(pattern: str) -> TextForm:
    """Return the form with this pattern; any text where there is none."""
    return _FORMS.get(pattern, _ANY_TEXT)
