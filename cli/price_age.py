"""How old a published price is. The program reads no clock; commands that show prices may."""

import datetime as dt
import os

_QUARTER = dt.timedelta(days=92)
"""After which AWS sets the rates of Capacity Blocks anew
(https://aws.amazon.com/ec2/capacityblocks/pricing/)."""


def aged(date: str) -> str:
    """Return the date of a price, and that it is more than a quarter old today where it is.

    The first day counts of a month or a year.
    """
    year, month, day = (*(int(part) for part in date.split("-")), 1, 1)[:3]
    old = _today() - dt.date(year, month, day) > _QUARTER
    return f"{date}, more than a quarter old" if old else date


def _today() -> dt.date:
    # https://reproducible-builds.org/specs/source-date-epoch/
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch.isdigit() else dt.datetime.now(dt.UTC)
    return now.date()
