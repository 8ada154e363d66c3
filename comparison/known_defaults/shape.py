"""How much is known of a part of an object: its defaults, its amounts, and whether order means anything."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from resource_graph import Value

Computed = Callable[[Mapping[str, Value]], Value]
"""Returns the default of a field from the fields beside it; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One part of an object, or one item of a list."""

    defaults: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Field -> what an absent one stands for."""
    computed: Mapping[str, Computed] = field(default_factory=dict[str, Computed])
    amounts: frozenset[str] = frozenset()
    """Fields that are Kubernetes quantities, or mappings of such."""
    parts: Mapping[str, "Shape"] = field(default_factory=dict[str, "Shape"])
    """Field -> shape of its value, or of each item where the value is a list."""
    each: "Shape | None" = None
    """Shape of every value, where the keys are names that people choose."""
    keeps_order: bool | None = None
    """Whether the order of lists counts from here on down; None: as around it."""
    drops_empty: bool = False
    """Whether an empty mapping is the same as none, in the whole object."""

    def part(self, key: str) -> "Shape | None":
        """Return what is known of one field."""
        return self.parts.get(key, self.each)

    def default(self, key: str, beside: Mapping[str, Value]) -> Value:
        """Return what the field stands for where it is absent; None where it stands for nothing.

        Args:
            key: the field.
            beside: the fields of the same part, as they are written.

        """
        computed = self.computed.get(key)
        return self.defaults.get(key) if computed is None else computed(beside)


UNORDERED = Shape(keeps_order=False)
"""Nothing is known but that the order of lists means nothing."""

ACCOUNT = Shape(keeps_order=False, drops_empty=True)
"""What is in an account: the provider's schema has sets nearly everywhere, and an empty block is none."""
