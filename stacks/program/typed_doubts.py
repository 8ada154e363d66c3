"""Placeholders of this project's stack files, which AWS refuses or nobody reaches minutes into an `up`."""

from collections.abc import Iterator

from stacks.settings.cluster import EksClusterSettings, reservation_id
from stacks.settings.stack import StackSettings
from stacks.updates.notices import Notice

_RESERVATION = "cr-0123456789abcdef0"
# RFC 5737: addresses for documents, which belong to nobody.
_DOCUMENTS = ("192.0.2.", "198.51.100.", "203.0.113.")


def typed_doubts(settings: StackSettings) -> Iterator[Notice]:
    """Warn of each of them, with its key."""
    if not isinstance(settings.cluster, EksClusterSettings):
        return
    for cidr in settings.cluster.public_cidrs:
        if cidr.startswith(_DOCUMENTS):
            why = "a placeholder that belongs to nobody (RFC 5737); type the address that `up` comes from"
            yield Notice(f"cluster.publicCidrs = {cidr}: {why}", warns=True)
    for index, pool in enumerate(settings.node_pools):
        if pool.purchase and reservation_id(pool.purchase) == _RESERVATION:
            why = "a placeholder; type the id that the purchase printed"
            yield Notice(f"nodePools[{index}].purchase.id = {_RESERVATION}: {why}", warns=True)
