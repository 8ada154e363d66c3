"""For whom a policy is."""

from enum import Enum


class Holder(Enum):
    """Who acts in the account."""

    DEPLOYER = "deployer"
    """Runs `up`, `destroy` and what goes before them."""
    PREVIEWER = "previewer"
    """Runs `preview`, also with `--refresh`, and changes nothing."""
