"""What controllers have said about an object in events."""

from components.cluster_reader import ClusterReader
from failures.finding import Subject

_SHOWN = 3


def warnings_of(cluster: ClusterReader, subject: Subject) -> list[str]:
    """Return the newest warnings about the object, each once; none where events cannot be read."""
    selector = f"involvedObject.kind={subject.kind},involvedObject.name={subject.name}"
    words = ["events", "--namespace", subject.namespace or "default", "--field-selector", selector]
    found = cluster.items(*words) or []
    lines = {f"{event.get('reason')}: {event.get('message')}": None for event in found if _tells(event)}
    return list(lines)[-_SHOWN:]


def _tells(event: dict[str, object]) -> bool:
    # A claim that nobody provisions gets no warning but this normal event.
    return event.get("type") == "Warning" or event.get("reason") == "ExternalProvisioning"
