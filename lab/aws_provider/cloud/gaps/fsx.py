"""FSx for Lustre: moto answers for it, but knows no mount name."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from botocore import xform_name

from lab.aws_provider.cloud.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

# Parameters of moto's that it has no default for, and no request has to have.
_UNSAID = (
    *("tags", "kms_key_id", "windows_configuration", "ontap_configuration", "open_zfs_configuration"),
    "file_system_type_version",
)


@answers("fsx", "CreateFileSystem")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A file system that is there at once, with the name under which clients mount it."""
    named = {**given["LustreConfiguration"], "MountName": uuid.uuid4().hex[:8]}
    asked = {xform_name(key): value for key, value in {**given, "LustreConfiguration": named}.items()}
    made = place.moto("fsx").create_file_system(**{**dict.fromkeys(_UNSAID), **asked})
    return {"FileSystem": made.to_dict()}
