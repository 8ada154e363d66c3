"""What AWS's published service models say of a request: shapes, lengths, ranges, patterns of keys, enums.

botocore checks shapes before it sends; it does not check enums, and other clients check nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.validate import ParamValidator

from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator


_CODES = {
    "autoscaling": "ValidationError",
    "ec2": "InvalidParameterValue",
    "efs": "BadRequest",
    "eks": "InvalidParameterException",
    "fsx": "BadRequest",
    "iam": "ValidationError",
    "sts": "ValidationError",
}


def check(operation: Any, parameters: dict[str, Any]) -> None:
    """Raises Refused for the first thing that the operation's input shape does not allow."""
    shape = operation.input_shape
    if shape is None:
        return
    code = _CODES.get(operation.service_model.service_name, "ValidationException")
    report = ParamValidator().validate(parameters, shape)
    if report.has_errors():
        raise Refused(code, report.generate_report())
    for path, value, allowed in wrong_enum_values(shape, parameters, ""):
        raise Refused(
            code,
            f"Value '{value}' at '{path}' failed to satisfy constraint: Member must satisfy enum value set: "
            f"[{', '.join(allowed)}]",
        )


def wrong_enum_values(shape: Any, value: Any, path: str) -> Iterator[tuple[str, Any, list[str]]]:
    """(path, value, allowed values) for each string that is none of its enum."""
    match shape.type_name:
        case "structure":
            for name, member in shape.members.items():
                if isinstance(value, dict) and name in value:
                    yield from wrong_enum_values(member, value[name], f"{path}.{name}" if path else name)
        case "list":
            for index, item in enumerate(value):
                yield from wrong_enum_values(shape.member, item, f"{path}[{index}]")
        case "map":
            for key, item in value.items():
                yield from wrong_enum_values(shape.value, item, f"{path}.{key}")
        case "string":
            allowed = shape.enum
            if allowed and value not in allowed:
                yield path, value, list(allowed)
