"""Rules about secrets, privileges, images and open doors."""

from rules.rule import Rule
from rules.security import network, pods, secrets

RULES: tuple[Rule, ...] = (
    secrets.secrets_not_in_plain_values,
    secrets.secrets_marked_secret,
    pods.pods_run_unprivileged,
    pods.images_pinned,
    network.no_public_endpoint,
)
