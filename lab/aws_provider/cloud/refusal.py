"""An error answer of AWS."""

from __future__ import annotations

from typing import Any

from moto.core.exceptions import ServiceException


class Refused(ServiceException):
    """A request that AWS refuses: its error code, its message and what else its error shape has."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(code, message)
        for name, value in members.items():
            setattr(self, name, value)


def refused_by_eks(message: str, **members: Any) -> Refused:
    """EKS's usual refusal of a parameter."""
    return Refused("InvalidParameterException", message, **members)
