"""Points of serving that a person has measured, beside the stack files."""

from operations.errors import CommandError
from sizing.points import OWN_POINTS, Point, own_points


def recorded_points() -> tuple[Point, ...]:
    """Return what `bench --record` has written here; nothing where it has written nothing.

    Raises:
        CommandError: somebody has changed the file, and a line of it is no point.

    """
    try:
        return own_points(OWN_POINTS)
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"{OWN_POINTS}: not as `dynamo-stack bench --record` writes it: {error}\n"
            "  try: take the line out, or move the file away"
        ) from None
