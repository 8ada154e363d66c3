"""Clients of the lab's simulated AWS account, with the sealed environment's placeholder credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import botocore.session

from lab.environment import sealed_environment

if TYPE_CHECKING:
    from lab.directory import LabDirectory


def client(lab: LabDirectory, service: str) -> Any:
    """botocore's client of a service, in the sealed environment's region. The account has to answer."""
    variables = sealed_environment(lab)
    return botocore.session.Session().create_client(
        service,
        region_name=variables["AWS_REGION"],
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
    )
