"""How old a published price is today. The program reads no clock; commands that show prices may."""

import datetime as dt
import os

from explain.explanation import price_age


def aged(date: str) -> str:
    """Return the date of a price, and that it is more than a quarter old today where it is."""
    return price_age.aged(date, today())


def today() -> dt.date:
    """Return the day that SOURCE_DATE_EPOCH names, or else today, in UTC.

    The same day gives the same output (https://reproducible-builds.org/specs/source-date-epoch/).
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch.isdigit() else dt.datetime.now(dt.UTC)
    return now.date()
