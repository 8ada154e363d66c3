"""Which release of the platform may follow another one under a stack that runs."""

from engines.release import release_line


def is_supported_step(present: str, target: str) -> bool:
    """Whether one release may follow another, in either direction: of the same minor or of the next one.

    Dynamo supports no other ("Apply every intermediate minor release in order", docs v1.6.2, reference/
    releases/deprecations), nor prefill and decode of different releases beside each other.
    """
    (major, minor), (new_major, new_minor) = release_line(present), release_line(target)
    return major == new_major and abs(new_minor - minor) <= 1
