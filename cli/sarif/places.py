"""The line that a person most likely has to change for a finding: of a stack's file, or of a manifest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from resource_graph.manifest_lines import DocumentText
from rules.catalogue import TOPICS
from rules.model import Finding
from rules.waivers import RULE_ID as WAIVER_RULE
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import SETTINGS_KEY
from stacks.settings.yaml_file import parse_yaml

Key: TypeAlias = tuple[str | int, ...]
"""Keys and list positions below `dynamo-stack:settings`."""

_TOP: Key = ("config", SETTINGS_KEY)
_TOPICS = {rule.id: topic.name for topic in TOPICS for rule in topic.rules}
_ENGINE = ("overrides", "arguments", "environment")
"""Settings per role of what the engine is started with."""
# The first key that the file has is the place; a nearer one comes before a wider one.
_BY_RULE: Mapping[str, tuple[Key, ...]] = {
    "image-tag-admitted": (("serving", "imageVersions"), ("imageMirrors",)),
    "runtime-image-exists": (("serving", "imageVersions"), ("imageMirrors",)),
    "image-brings-the-engine": (("serving", "imageVersions"), ("imageMirrors",)),
    "runtime-matches-platform": (("serving", "imageVersions"), ("platform", "version")),
    "runtime-defects-avoided": (("serving", "imageVersions"), ("platform", "version")),
    "network-policies-enforced": (("networkPolicies",),),
    "model-revision-pinned": (("model", "revision"), ("model",)),
    "model-revision-equal": (("model", "revision"), ("model",)),
    "nvlink-setting-fits-transport": (("serving", "kvTransport"),),
    "servers-survive-a-node": (("platform", "nats", "members"), ("platform", "etcd", "members")),
}
_KV_RULES = "kv-"
_BY_TYPE: tuple[tuple[str, tuple[Key, ...]], ...] = (
    ("aws:fsx", (("modelCache", "storage"), ("modelCache",))),
    ("aws:efs", (("modelCache", "storage"), ("modelCache",))),
    ("aws:ec2/vpc", (("cluster", "network"),)),
    ("aws:ec2/subnet", (("cluster", "network"),)),
    ("aws:ec2/launchTemplate", (("cluster", "systemNodes"), ("cluster",))),
    ("aws:eks/cluster", (("cluster", "publicCidrs"), ("cluster",))),
    ("aws:", (("cluster",),)),
    ("kubernetes:core/v1:PersistentVolume", (("modelCache",),)),
    ("kubernetes:storage.k8s.io", (("modelCache",),)),
    ("kubernetes:batch", (("modelCache",), ("model",))),
    ("kubernetes:networking.k8s.io/v1:NetworkPolicy", (("networkPolicies",),)),
    ("kubernetes:networking.k8s.io/v1:Ingress", (("serving", "exposure"),)),
    ("kubernetes:core/v1:Namespace", (("serving", "namespace"),)),
    ("kubernetes:helm.sh", (("platform", "version"), ("platform",), ("cluster",))),
    ("kubernetes:apps", (("platform", "nats"), ("platform",))),
    ("pulumi:providers", (("cluster",),)),
)
_BY_TOPIC: Mapping[str, tuple[Key, ...]] = {
    "topology": (("serving", "gpusPerWorker"), ("serving", "replicas"), ("serving", "pool")),
    "cache": (("modelCache",), ("model",)),
    "lifecycle": (("lifecycle",),),
}
_LAST: tuple[Key, ...] = (("serving", "recipe"), ("serving",), ())


@dataclass(frozen=True, slots=True)
class Place:
    """One line of one file."""

    uri: str
    """Path from the root of the git checkout, so that it is the same in every run; percent-encoded."""
    line: int
    """Counted from 1."""


class StackPlaces:
    """The places of findings of a stack, in its file."""

    def __init__(self, stack: StackPlan, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        self._uri = uri_of(file)
        self._settings: object = parse_yaml(text)["config"][SETTINGS_KEY]
        self._lines = DocumentText(text, 1, 0, len(text))
        self._roles = {service.name: service.role for service in stack.serving.placed.services}
        self._pools = {placed.pool.name: index for index, placed in enumerate(stack.pools)}

    def of_finding(self, finding: Finding) -> Place:
        """Return the key that most likely has to change."""
        key = next(key for key in self._candidates(finding) if _is_written(self._settings, key))
        return self._place(key)

    def of_waiver(self, rule: str) -> Place:
        """Return the waiver of a rule, or the list of waivers where none names it."""
        return self._place(self._waiver(rule))

    def _place(self, key: Key) -> Place:
        return Place(self._uri, self._lines.line_of((*_TOP, *key)))

    def _candidates(self, finding: Finding) -> Iterator[Key]:
        rule, resource = finding.rule.id, finding.observation.resource
        if rule == WAIVER_RULE:
            yield self._waiver(finding.observation.subject.removeprefix("waiver of "))
        yield from _BY_RULE.get(rule, ())
        if rule.startswith(_KV_RULES):
            yield "serving", "kvTransport"
        for pool, index in self._pools.items():
            if resource.name.startswith(f"{pool}-nodes"):
                yield "nodePools", index
        yield from next((keys for prefix, keys in _BY_TYPE if resource.type.startswith(prefix)), ())
        yield from _BY_TOPIC.get(_TOPICS.get(rule, ""), ())
        role = self._roles.get(finding.observation.subject)
        if role is not None:
            yield from (("serving", setting, role) for setting in _ENGINE)
        yield from _LAST

    def _waiver(self, rule: str) -> Key:
        waivers = self._settings.get("waivers") if isinstance(self._settings, Mapping) else None
        listed: list[Any] = waivers if isinstance(waivers, list) else []
        index = next((index for index, each in enumerate(listed) if each.get("rule") == rule), None)
        return ("waivers",) if index is None else ("waivers", index)


def place_in_manifest(finding: Finding) -> Place | None:
    """Return the line of a finding in the file that it was read from; None where it stands in no file."""
    origin = finding.observation.resource.origin
    if origin is None:
        return None
    return Place(uri_of(Path(origin.file)), max(1, origin.line_of(finding.observation.path)))


def uri_of(file: Path) -> str:
    """Return the file's path from the root of the git checkout; outside one, from the current folder."""
    full, here = file.absolute(), Path.cwd()
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    return quote(full.relative_to(root).as_posix()) if full.is_relative_to(root) else full.as_uri()


def _is_written(settings: Any, key: Key) -> bool:
    for part in key:
        try:
            settings = settings[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True
