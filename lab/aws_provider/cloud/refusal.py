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


def require(holds: object, code: str, message: str, **members: Any) -> None:
    """Raises Refused unless it holds."""
    if not holds:
        raise Refused(code, message, **members)


def require_of_eks(
    holds: object, message: str, code: str = "InvalidParameterException", **members: Any
) -> None:
    """The same with EKS's usual code."""
    require(holds, code, message, **members)
