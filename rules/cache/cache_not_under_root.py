"""No model volume lies below /root in a container that is not root."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.images import read_image
from rules.reading.shapes import field, text_at
from rules.reading.storage.claims import Mount
from rules.reading.storage.model_users import KINDS, ModelUser
from rules.reading.storage.model_volumes import check_model_users

_ROOT_HOME = "/root"
# Dynamo's runtime and frontend images run as user 1000, dynamo.
_IMAGES_OF_DYNAMO = "/ai-dynamo/"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, KINDS, _check_user)


def _check_user(user: ModelUser) -> Iterator[Observation]:
    for mount in user.mounts:
        if f"{mount.path}/".startswith(f"{_ROOT_HOME}/"):
            reason = _why_not_root(user)
            if reason:
                yield failed(
                    user.resource,
                    user.name,
                    f"mounts {_what(mount)}, below the home of root, but {reason}",
                )


def _what(mount: Mount) -> str:
    return str(mount) if mount.node_path else f"claim {mount}"


def _why_not_root(user: ModelUser) -> str:
    for owner in (user.container, user.template.spec):
        number = field(owner, "securityContext", "runAsUser")
        if isinstance(number, int):
            return f"runs as user {number}" if number else ""
        if field(owner, "securityContext", "runAsNonRoot") is True:
            return "does not run as root (runAsNonRoot)"
    image = read_image(user.container)
    if image is not None and _IMAGES_OF_DYNAMO in image.repository:
        return f"the user of {text_at(user.container, 'image')} is not root"
    return ""


RULE = Rule(
    id="cache-not-under-root",
    title="No model volume lies below /root in a container that is not root",
    severity=Severity.ADVISORY,
    reason="Nobody but root may enter /root: the worker ends with a permission error at its first file.",
    source="ai-dynamo/dynamo#4290 (model path not readable as non-root)",
    lines=EVERY_RELEASE,
    fix="Mount it at /opt/models and set HF_HOME to that directory, in every pod that uses the model.",
    check=_check,
)
