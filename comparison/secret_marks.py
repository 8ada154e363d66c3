"""Finds what looks like a secret in any text or resource, and puts a mark in its place.

A pull request can carry a token anywhere: in an environment variable of a recipe, a ConfigMap, the values of
a chart, the message about a setting that holds one by mistake. Comments and pages are read by more people
than the repository's secrets are meant for.

A mark has the start of the secret's SHA-256, so that another secret is another mark. Who could guess the
secret could confirm the guess; but only plain text of the repository comes here, which every reader of the
comparison can read anyway. What the engine encrypts is never decrypted.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from resource_graph import Resource, Value
from resource_graph.values import Path

_MARK_DIGITS = 12
_MARK_FORM: Final = re.compile(rf"\[secret [0-9a-f]{{{_MARK_DIGITS}}}\]")
# What a name has to end in, so that its value is taken for a secret: HF_TOKEN, but not MAX_NUM_TOKENS.
_NAMES: Final = (
    "token|password|passwd|passphrase|api[-_]?key|access[-_]?key|secret[-_]?key|secret[-_]access[-_]key|"
    "private[-_]?key|client[-_]?secret|client-key-data|credentials?"
)
_CAMEL_CASE_NAMES: Final = "Token|Password|Passphrase|ApiKey|AccessKey|SecretKey|PrivateKey"
_NAME: Final = re.compile(rf"(?i:(?:.*[-_.])?(?:{_NAMES}|secret))")
# With these two AWS knows a request that comes again.
_CAMEL_CASE_NAME: Final = re.compile(rf"(?!creationToken|clientToken).+(?:{_CAMEL_CASE_NAMES})")
# Shapes that their issuers document, or that a standard gives them; the group `secret` is what is replaced.
_SHAPES: Final[Sequence[re.Pattern[str]]] = tuple(
    re.compile(shape)
    for shape in (
        # A key without its end is one that was cut.
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?P<secret>[\s\S]*?)(?=-----END |\Z)",
        # https://huggingface.co/docs/hub/security-tokens
        r"(?<![A-Za-z0-9])(?P<secret>hf_[A-Za-z0-9]{16,})",
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
        r"(?<![A-Za-z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])",
        # https://github.blog/engineering/behind-githubs-new-authentication-token-formats
        r"(?<![A-Za-z0-9])(?P<secret>gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
        # GitLab, OpenAI, NVIDIA NGC, Slack, Google, Pulumi Cloud.
        r"(?<![A-Za-z0-9])(?P<secret>glpat-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{20,}|nvapi-[A-Za-z0-9_-]{20,}"
        r"|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}|pul-[0-9a-f]{40})",
        # https://www.rfc-editor.org/rfc/rfc7519: two JSON objects in base64, and a signature.
        r"(?<![A-Za-z0-9])(?P<secret>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)",
        # https://www.rfc-editor.org/rfc/rfc6750 and rfc7617.
        r"(?i:\bbearer|authorization[\"']?\s*[:=]\s*[\"']?basic)\s+(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)",
        # https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1: a password before the host.
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/?#:@\"']*:(?P<secret>[^\s/?#@\"'$]+)@",
    )
)
# A name with its value, as shells, YAML, JSON and command lines write it. What begins with $ or a bracket is
# taken from elsewhere when the text is used, or is no text.
_ASSIGNED: Final = re.compile(
    rf"(?:(?<![A-Za-z0-9])(?i:--[a-z0-9-]*(?:{_NAMES})\s+|(?:{_NAMES})[\"']?\s*[:=]\s*)"
    rf"|(?<=[a-z0-9])(?:{_CAMEL_CASE_NAMES})[\"']?\s*[:=]\s*)"
    r"(?:\"(?![$\[])(?P<doubly>[^\"\n]{3,})\"|'(?![$\[])(?P<singly>[^'\n]{3,})'"
    r"|(?P<plain>[^\s\"'`,;$<(\[{|&>][^\s\"'`,;]{5,}))"
)
# The name of a Secret or of a file is no secret, nor is a type or a number.
_NO_SECRET: Final = re.compile(r"(?i:true|false|null|none|string|required|optional)|\d+|/\S*|[a-z]+://\S*")
_PARTS_OF_A_SECRET = (("data",), ("stringData",))

MARK = "[secret]"
"""Stands for a secret of which nobody has the value."""


def is_mark(value: object) -> bool:
    """Return whether the value is the mark of a secret and nothing else."""
    return isinstance(value, str) and _MARK_FORM.fullmatch(value) is not None


def without_secrets(text: str) -> str:
    """Return the text with a mark in the place of each part that looks like a secret."""
    for shape in _SHAPES:
        text = shape.sub(_replaced, text)
    return _ASSIGNED.sub(_replaced, text)


def names_a_secret(name: str) -> bool:
    """Return whether the value of a variable or key with this name is a secret: HF_TOKEN, db-password."""
    return bool(_NAME.fullmatch(name) or _CAMEL_CASE_NAME.fullmatch(name))


def mark_of(secret: str) -> str:
    """Return what stands for a secret: the same for the same secret."""
    return f"[secret {fingerprint(secret)}]"


def fingerprint(text: str) -> str:
    """Return the start of the text's SHA-256, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_DIGITS]


def marked(resource: Resource) -> Resource:
    """Return the resource with marks in place of its secrets.

    Secrets are what the program declares so, everything that a Secret holds, and what looks like one in any
    other text. Their paths, where a whole value is one, are the new resource's `secret_paths`.
    """
    paths = set(resource.secret_paths or ())
    # The engine marks the data of each Secret as secret, whatever the program has marked (facts/provider.md).
    if resource.kind == "Secret":
        paths.update(_PARTS_OF_A_SECRET)
    inputs = {key: _marked(item, (key,), paths, key) for key, item in resource.inputs.items()}
    return replace(resource, inputs=inputs, secret_paths=frozenset(paths), origin=None)


def marked_settings(settings: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return what a person typed with marks in place of what looks like a secret."""
    return {key: _marked(value, (key,), set(), key) for key, value in settings.items()}


def _marked(value: Value, path: Path, paths: set[Path], key: str, *, is_secret: bool = False) -> Value:
    """Return the value with marks.

    Args:
        value: what is at the path.
        path: of the value.
        paths: of secrets, whose parts are secret; those that are secret by their names are added.
        key: names the value.
        is_secret: whether it is part of a secret.

    """
    is_secret = is_secret or path in paths
    if isinstance(value, Mapping):
        name = value.get("name")
        # A container's environment: the variable's name is the value of `name`.
        named = name if isinstance(name, str) and name else "value"
        return {
            each: _marked(item, (*path, each), paths, named if each == "value" else each, is_secret=is_secret)
            for each, item in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        # A command line: the option's name is the item before its value.
        options = ["", *(item if isinstance(item, str) and item.startswith("--") else "" for item in value)]
        return [
            _marked(item, (*path, index), paths, option.removeprefix("--"), is_secret=is_secret)
            for index, (item, option) in enumerate(zip(value, options, strict=False))
        ]
    if is_secret and isinstance(value, str | int | float):
        return mark_of(str(value))
    if not isinstance(value, str):
        return value
    if names_a_secret(key) and value and not value.startswith(("$", "{")):
        paths.add(path)
        return mark_of(value)
    return without_secrets(value)


def _replaced(match: re.Match[str]) -> str:
    # Of each expression one group holds the secret.
    group = match.lastgroup or 0
    secret = match[group]
    if not secret.strip() or _MARK_FORM.search(secret) or _NO_SECRET.fullmatch(secret):
        return match[0]
    start, end = (edge - match.start() for edge in match.span(group))
    return f"{match[0][:start]}{mark_of(secret)}{match[0][end:]}"
