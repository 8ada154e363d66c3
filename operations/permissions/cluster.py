"""What AWS has to allow for a cluster with its nodes, its roles, its key and its logs."""

from collections.abc import Mapping

from operations.permissions.right import On, Rights, right

_HANDED_ROLES = right(On.ROLES, "iam", "GetRole ListAttachedRolePolicies")
"""EKS looks at the roles that it is handed."""
_TAGS = "TagResource UntagResource"

CLUSTER: Mapping[str, Rights] = {
    "aws:autoscaling/schedule:Schedule": Rights(
        (
            right(On.ANYTHING, "autoscaling", "DescribeScheduledActions"),
            right(On.SCALING_GROUPS, "autoscaling", "PutScheduledUpdateGroupAction DeleteScheduledAction"),
        )
    ),
    "aws:cloudwatch/logGroup:LogGroup": Rights(
        (
            right(On.ANYTHING, "logs", "DescribeLogGroups"),
            right(
                On.LOG_GROUPS,
                "logs",
                "CreateLogGroup DeleteLogGroup PutRetentionPolicy DeleteRetentionPolicy ListTagsForResource "
                + _TAGS,
            ),
        )
    ),
    "aws:eks/accessEntry:AccessEntry": Rights(
        (
            right(
                On.CLUSTER,
                "eks",
                f"DescribeAccessEntry CreateAccessEntry UpdateAccessEntry DeleteAccessEntry {_TAGS}",
            ),
        )
    ),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": Rights(
        (
            right(
                On.CLUSTER,
                "eks",
                "ListAssociatedAccessPolicies AssociateAccessPolicy DisassociateAccessPolicy",
            ),
        )
    ),
    "aws:eks/addon:Addon": Rights(
        (
            right(
                On.CLUSTER,
                "eks",
                f"DescribeAddon CreateAddon UpdateAddon DeleteAddon DescribeUpdate {_TAGS} "
                "DescribePodIdentityAssociation CreatePodIdentityAssociation "
                "UpdatePodIdentityAssociation DeletePodIdentityAssociation",
            ),
            _HANDED_ROLES,
        )
    ),
    # The grant is made in the caller's name, without the mark of one for a service
    # (https://docs.aws.amazon.com/eks/latest/userguide/security-k8s.html, note on kms:CreateGrant). KMS may
    # take five minutes to know a tag (https://docs.aws.amazon.com/kms/latest/developerguide/abac.html): an
    # `up` that is refused the grant ends well when it is repeated.
    "aws:eks/cluster:Cluster": Rights(
        (
            right(On.ANYTHING, "eks", "CreateCluster"),
            right(On.ANYTHING, "ec2", "DescribeSecurityGroups DescribeSubnets DescribeVpcs"),
            right(
                On.CLUSTER,
                "eks",
                f"DescribeCluster UpdateClusterConfig UpdateClusterVersion DeleteCluster {_TAGS} "
                "DescribeUpdate",
            ),
            right(On.REGION, "kms", "DescribeKey"),
            right(On.OWN, "kms", "CreateGrant"),
            _HANDED_ROLES,
        ),
        service_role="eks.amazonaws.com",
    ),
    # EKS tries whether the caller may launch what the template describes, with its tags
    # (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
    "aws:eks/nodeGroup:NodeGroup": Rights(
        (
            right(
                On.CLUSTER,
                "eks",
                f"DescribeNodegroup CreateNodegroup UpdateNodegroupConfig UpdateNodegroupVersion {_TAGS} "
                "DeleteNodegroup DescribeUpdate",
            ),
            right(
                On.ANYTHING,
                "ec2",
                "DescribeLaunchTemplates DescribeLaunchTemplateVersions DescribeRouteTables "
                "DescribeSecurityGroups DescribeSubnets DescribeVpcs",
            ),
            right(On.INSTANCES, "ec2", "RunInstances"),
            right(On.REGION, "ec2", "CreateTags"),
            _HANDED_ROLES,
        ),
        service_role="eks-nodegroup.amazonaws.com",
    ),
    "aws:iam/role:Role": Rights(
        (
            right(
                On.ROLES,
                "iam",
                "GetRole GetRolePolicy ListRolePolicies ListAttachedRolePolicies ListInstanceProfilesForRole "
                "DeleteRole UpdateAssumeRolePolicy TagRole UntagRole",
            ),
            right(On.NEW_ROLES, "iam", "CreateRole PutRolePermissionsBoundary"),
        )
    ),
    "aws:iam/rolePolicy:RolePolicy": Rights(
        (
            right(On.ROLES, "iam", "GetRolePolicy"),
            right(On.OWN_POLICIES, "iam", "PutRolePolicy DeleteRolePolicy"),
        )
    ),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": Rights(
        (
            right(On.ROLES, "iam", "ListAttachedRolePolicies DetachRolePolicy"),
            right(On.AWS_POLICIES, "iam", "AttachRolePolicy"),
        )
    ),
    "aws:kms/key:Key": Rights(
        (
            right(On.ANYTHING, "kms", "CreateKey"),
            right(
                On.REGION,
                "kms",
                "DescribeKey GetKeyPolicy GetKeyRotationStatus ListResourceTags EnableKeyRotation "
                "TagResource",
            ),
            right(On.OWN, "kms", "DisableKeyRotation UpdateKeyDescription UntagResource ScheduleKeyDeletion"),
        )
    ),
}
"""Type of a resource -> what it needs."""
