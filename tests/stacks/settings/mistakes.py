"""What is allowed where a key is mistaken."""

from pydantic import BaseModel


def keys_of(model: type[BaseModel]) -> str:
    """Every key that a mapping may have, in the order of the page of settings."""
    return ", ".join(field.alias or name for name, field in model.model_fields.items())
