"""The day on which the age of a published price is told. The program reads no clock; commands may."""

import datetime as dt
import os

from operations.errors import CommandError


def today() -> dt.date:
    """Return the day that SOURCE_DATE_EPOCH names, or else today, in UTC.

    The same day gives the same output (https://reproducible-builds.org/specs/source-date-epoch/).
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch else dt.datetime.now(dt.UTC)
    except (ValueError, OverflowError, OSError):
        raise CommandError(
            f"SOURCE_DATE_EPOCH = {epoch!r}\n  allowed: seconds since 1970\n  try: `unset SOURCE_DATE_EPOCH`"
        ) from None
    return now.date()
