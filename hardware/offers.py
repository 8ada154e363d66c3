"""Regions in which EC2 offers an instance type in a zone of its own, as of August 2026 (EC2_OFFERINGS)."""

P6_B200 = (
    "ap-south-1",
    "ap-south-2",
    "eu-north-1",
    "eu-west-3",
    "us-east-1",
    "us-east-2",
    "us-west-2",
)

P6_B300 = (
    "ap-northeast-2",
    "ap-south-2",
    "ap-southeast-3",
    "sa-east-1",
    "us-east-1",
    "us-west-2",
)

P5EN = (
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-south-1",
    "ap-southeast-3",
    "eu-north-1",
    "eu-south-2",
    "me-central-1",
    "us-east-1",
    "us-east-2",
    "us-west-1",
    "us-west-2",
)

P5E = (
    "ap-southeast-2",
    "ap-southeast-3",
    "eu-north-1",
    "eu-west-2",
    "sa-east-1",
    "us-east-2",
    "us-west-2",
)

P5 = (
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-south-1",
    "ap-southeast-2",
    "ap-southeast-3",
    "ca-central-1",
    "eu-north-1",
    "eu-west-2",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-west-1",
    "us-west-2",
)

P5_ONE_GPU = (
    "ap-northeast-1",
    "ap-south-1",
    "ap-southeast-2",
    "ap-southeast-3",
    "eu-north-1",
    "eu-west-2",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-west-2",
)
