"""What goes wrong in the lab in a way that a person can do something about."""


class LabError(Exception):
    """Its text is complete for a person: what is wrong, and what to type."""
