"""How old a published price is."""

import datetime as dt

_QUARTER = dt.timedelta(days=92)
"""After which AWS sets the rates of Capacity Blocks anew
(https://aws.amazon.com/ec2/capacityblocks/pricing/)."""


def aged(date: str, today: dt.date) -> str:
    """Return the date of a price, and that it is more than a quarter old today where it is.

    The first day counts of a month or a year.
    """
    year, month, day = (*(int(part) for part in date.split("-")), 1, 1)[:3]
    old = today - dt.date(year, month, day) > _QUARTER
    return f"{date}, more than a quarter old" if old else date
