"""Dates of many kinds, made comparable."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

#: Numbers below are neither years nor seconds since 1970.
_FIRST_YEAR = 1000
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")


def moment(value: Any) -> tuple[str, float] | None:
    """A value as something later dates are larger than; ``None`` for what is no date.

    Numbers are years or seconds and compare among themselves only.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return ("number", float(value)) if _FIRST_YEAR <= value < 1e18 else None
    if isinstance(value, date):
        return _seconds(value)
    return _of_text(value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _of_text(text: str) -> tuple[str, float] | None:
    try:
        if day := _DAY.match(text.strip()):
            return _seconds(date(*map(int, day.groups())))
        return _seconds(datetime.fromisoformat(text.strip()))
    except ValueError:
        return None


def _seconds(value: date) -> tuple[str, float]:
    """Days and parts of them since year 1, as seconds; a time without a zone is taken for UTC."""
    whole = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    aware = whole if whole.tzinfo else whole.replace(tzinfo=UTC)
    return "date", (aware - datetime(1, 1, 1, tzinfo=UTC)).total_seconds()
