"""The line of a stack's file that a person most likely has to change for what is said of the stack."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias, cast

from comparison.nested_values import is_list, is_mapping
from resource_graph import Resource
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
_PARTS = re.compile(r"[^.\[\]]+")
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


class StackLines:
    """Where in its file a stack says what it is; lines are counted from 1.

    Args:
        stack: the plan that was made of the file.
        text: of the file.

    """

    def __init__(self, stack: StackPlan, text: str) -> None:
        document = cast("Mapping[str, Mapping[str, object]]", parse_yaml(text))
        self._settings: object = document["config"][SETTINGS_KEY]
        self._lines = DocumentText(text, 1, 0, len(text))
        self._roles = {service.name: service.role for service in stack.serving.placed.services}
        self._pools = {placed.pool.name: index for index, placed in enumerate(stack.pools)}

    def of_finding(self, finding: Finding) -> int:
        """Return the line of the key that most likely has to change."""
        return self._first_written(self._keys_of_finding(finding))

    def of_waiver(self, rule: str) -> int:
        """Return the line of a rule's waiver, or of the list of waivers where none names it."""
        return self._line(self._waiver(rule))

    def of_resource(self, resource: Resource) -> int:
        """Return the line of the key that most likely makes the resource as it is."""
        return self._first_written(chain(self._keys_of_resource(resource), _LAST))

    def of_setting(self, key: str) -> int:
        """Return the line of a setting such as `nodePools[0].zone`, or of the nearest around it."""
        parts: list[str] = _PARTS.findall(key)
        return self._line(tuple(int(part) if part.isdecimal() else part for part in parts))

    def _first_written(self, keys: Iterable[Key]) -> int:
        return self._line(next(key for key in keys if _is_written(self._settings, key)))

    def _line(self, key: Key) -> int:
        return self._lines.line_of((*_TOP, *key))

    def _keys_of_finding(self, finding: Finding) -> Iterator[Key]:
        rule, resource = finding.rule.id, finding.observation.resource
        if rule == WAIVER_RULE:
            yield self._waiver(finding.observation.subject.removeprefix("waiver of "))
        yield from _BY_RULE.get(rule, ())
        if rule.startswith(_KV_RULES):
            yield "serving", "kvTransport"
        yield from self._keys_of_resource(resource)
        yield from _BY_TOPIC.get(_TOPICS.get(rule, ""), ())
        role = self._roles.get(finding.observation.subject)
        if role is not None:
            yield from (("serving", setting, role) for setting in _ENGINE)
        yield from _LAST

    def _keys_of_resource(self, resource: Resource) -> Iterator[Key]:
        for pool, index in self._pools.items():
            if resource.name.startswith(f"{pool}-nodes"):
                yield "nodePools", index
        yield from next((keys for prefix, keys in _BY_TYPE if resource.type.startswith(prefix)), ())

    def _waiver(self, rule: str) -> Key:
        waivers = self._settings.get("waivers") if is_mapping(self._settings) else None
        listed = waivers if is_list(waivers) else ()
        found = (index for index, each in enumerate(listed) if is_mapping(each) and each.get("rule") == rule)
        index = next(found, None)
        return ("waivers",) if index is None else ("waivers", index)


def _is_written(settings: Any, key: Key) -> bool:
    for part in key:
        try:
            settings = settings[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True
