"""What AWS has to allow for file systems. AWS' own keys encrypt them, which asks for nothing more."""

from collections.abc import Mapping

from operations.permissions.right import On, Rights, right

_EFS = "elasticfilesystem"
_TAGS = "ListTagsForResource TagResource UntagResource"

STORAGE: Mapping[str, Rights] = {
    "aws:efs/accessPoint:AccessPoint": Rights(
        (
            right(On.REGION, _EFS, f"DescribeAccessPoints CreateAccessPoint {_TAGS}"),
            right(On.OWN, _EFS, "DeleteAccessPoint"),
        )
    ),
    "aws:efs/fileSystem:FileSystem": Rights(
        (
            right(On.ANYTHING, _EFS, "CreateFileSystem"),
            right(
                On.REGION,
                _EFS,
                f"DescribeFileSystems DescribeLifecycleConfiguration UpdateFileSystem {_TAGS}",
            ),
            right(On.OWN, _EFS, "DeleteFileSystem"),
        )
    ),
    # Its network interface is made in the caller's name
    # (https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html).
    "aws:efs/mountTarget:MountTarget": Rights(
        (
            right(
                On.REGION,
                _EFS,
                "DescribeMountTargets DescribeMountTargetSecurityGroups CreateMountTarget "
                "ModifyMountTargetSecurityGroups",
            ),
            right(On.OWN, _EFS, "DeleteMountTarget"),
            right(
                On.ANYTHING,
                "ec2",
                "DescribeNetworkInterfaces DescribeSecurityGroups DescribeSubnets DescribeVpcs",
            ),
            right(
                On.REGION,
                "ec2",
                "CreateNetworkInterface DeleteNetworkInterface ModifyNetworkInterfaceAttribute",
            ),
        ),
        service_role="elasticfilesystem.amazonaws.com",
    ),
    # FSx looks at the network in the caller's name, and tags its interfaces: AWS' policy AmazonFSxFullAccess.
    "aws:fsx/lustreFileSystem:LustreFileSystem": Rights(
        (
            right(On.ANYTHING, "fsx", "DescribeFileSystems"),
            right(On.REGION, "fsx", f"CreateFileSystem UpdateFileSystem {_TAGS}"),
            right(On.OWN, "fsx", "DeleteFileSystem"),
            right(
                On.ANYTHING,
                "ec2",
                "DescribeRouteTables DescribeSecurityGroups DescribeSubnets DescribeVpcs",
            ),
            right(On.REGION, "ec2", "CreateTags GetSecurityGroupsForVpc"),
        ),
        service_role="fsx.amazonaws.com",
    ),
}
"""Type of a resource -> what it needs."""
