"""Rules about secrets, privileges, images and open doors."""

from rules.model import Rule
from rules.security import (
    images_pinned,
    imdsv2_required,
    narrow_iam,
    network_policies_enforced,
    no_privileged_containers,
    no_public_endpoint,
    no_wildcard_iam,
    node_credentials_out_of_reach,
    pods_run_unprivileged,
    privileges_for_hardware,
    secrets_marked_secret,
    secrets_not_in_plain_values,
    volumes_encrypted,
)

RULES: tuple[Rule, ...] = (
    secrets_not_in_plain_values.RULE,
    secrets_marked_secret.RULE,
    no_privileged_containers.RULE,
    privileges_for_hardware.RULE,
    pods_run_unprivileged.RULE,
    images_pinned.RULE,
    no_public_endpoint.RULE,
    network_policies_enforced.RULE,
    volumes_encrypted.RULE,
    imdsv2_required.RULE,
    node_credentials_out_of_reach.RULE,
    no_wildcard_iam.RULE,
    narrow_iam.RULE,
)
