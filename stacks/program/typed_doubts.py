"""Settings that are well written and can hardly be meant: placeholders, and images of no release."""

from collections.abc import Iterator

from engines.release import NEWEST_PATCHES, is_no_release, line_name
from stacks.settings.cluster import CapacityBlock, EksClusterSettings, Reservation
from stacks.settings.services import ImageVersionsPerRole
from stacks.settings.stack import StackSettings
from stacks.updates.notices import Notice

# The account of AWS' own documents, and the id in this project's stack files.
_ACCOUNT = "123456789012"
_RESERVATION = "cr-0123456789abcdef0"
# RFC 5737: addresses for documents, which belong to nobody.
_DOCUMENTS = ("192.0.2.", "198.51.100.", "203.0.113.")


def typed_doubts(settings: StackSettings) -> Iterator[Notice]:
    """Warn of each of them, with its key: nothing fails before AWS or a registry says so."""
    for key, value, why in (*_placeholders(settings), *_images(settings)):
        yield Notice(f"{key} = {value}: {why}", warns=True)


def _placeholders(settings: StackSettings) -> Iterator[tuple[str, str, str]]:
    if isinstance(settings.cluster, EksClusterSettings):
        if settings.cluster.account_id == _ACCOUNT:
            yield "cluster.accountId", _ACCOUNT, "a placeholder; type your account"
        for cidr in settings.cluster.public_cidrs:
            if cidr.startswith(_DOCUMENTS):
                why = "a placeholder that belongs to nobody (RFC 5737); type the address that `up` comes from"
                yield "cluster.publicCidrs", cidr, why
    for index, pool in enumerate(settings.node_pools):
        purchase = pool.purchase
        if isinstance(purchase, CapacityBlock | Reservation) and purchase.id == _RESERVATION:
            why = "a placeholder; type the id that the purchase printed"
            yield f"nodePools[{index}].purchase.id", _RESERVATION, why


def _images(settings: StackSettings) -> Iterator[tuple[str, str, str]]:
    for role in ImageVersionsPerRole.model_fields:
        tag: str | None = getattr(settings.serving.image_versions, role)
        if tag is not None and is_no_release(tag):
            line = line_name(tag)
            newest = f"{line}.{NEWEST_PATCHES[line]}"
            why = f"no release of Dynamo has this version; the newest of {line} known here is {newest}"
            yield f"serving.imageVersions.{role}", tag, why
