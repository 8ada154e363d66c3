"""A chart of points on two logarithmic axes, as SVG.

A plotting library would bring a hundred megabytes for these few shapes, and other bytes with each release.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from resource_graph.printable import printable

WIDTH, HEIGHT = 560, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 34, 46
_STEPS = (1, 2, 5)
"""Of each decade: where an axis has its lines, and where it begins and ends."""
_LEGEND_LINE = 14
_GRID = "#e4e4e4"


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one colour; joined by a line, unless they have nothing to do with each other."""

    name: str
    """Stands below the chart; empty: it has no line there."""
    colour: str
    points: tuple[tuple[float, float, str], ...]
    """x, y and a label; those that are not positive are left out."""
    is_joined: bool = True


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line: a figure of which only y is known."""

    name: str
    colour: str
    y: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One panel."""

    title: str
    x_name: str
    y_name: str
    series: Sequence[Series]
    levels: Sequence[Level] = ()


def draw(charts: Sequence[Chart], heading: str, note: str | None) -> str:
    """Return an SVG document with the charts side by side below a heading."""
    width, top = WIDTH * len(charts), 66
    height = top + HEIGHT + _LEGEND_LINE * (1 + max(len(_legend(chart)) for chart in charts))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(14, 24, heading, 'font-size="15"'),
    ]
    if note:
        lines.append(_text(14, 46, note, 'fill="#b00020" font-size="13"'))
    for index, chart in enumerate(charts):
        lines.append(f'<g transform="translate({index * WIDTH},{top})">')
        lines += [*_chart(chart), "</g>"]
    return "\n".join([*lines, "</svg>", ""])


def _chart(chart: Chart) -> list[str]:
    shown = [(x, y) for series in chart.series for x, y, _ in series.points if x > 0 and y > 0]
    columns = _ticks([x for x, _ in shown])
    rows = _ticks([*(y for _, y in shown), *(level.y for level in chart.levels)])

    def across(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * math.log(value / columns[0], columns[-1] / columns[0])

    def up(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * math.log(value / rows[0], rows[-1] / rows[0])

    lines = [_text(_LEFT, 20, chart.title, 'font-weight="bold"')]
    for tick in columns:
        lines += [_line((across(tick), _TOP), (across(tick), HEIGHT - _BOTTOM), _GRID)]
        lines += [_text(across(tick), HEIGHT - _BOTTOM + 15, f"{tick:g}", 'text-anchor="middle"')]
    for tick in rows:
        lines += [_line((_LEFT, up(tick)), (WIDTH - _RIGHT, up(tick)), _GRID)]
        lines += [_text(_LEFT - 6, up(tick) + 4, f"{tick:g}", 'text-anchor="end"')]
    lines += [_text(WIDTH / 2, HEIGHT - 10, chart.x_name, 'text-anchor="middle"')]
    turned = f'text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2:g})"'
    lines += [_text(14, HEIGHT / 2, chart.y_name, turned)]
    for level in chart.levels:
        lines += [
            _line((_LEFT, up(level.y)), (WIDTH - _RIGHT, up(level.y)), level.colour, 'stroke-dasharray="5 4"')
        ]
    for series in chart.series:
        points = [(across(x), up(y), label) for x, y, label in series.points if x > 0 and y > 0]
        if series.is_joined:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
            lines.append(f'<polyline points="{path}" fill="none" stroke={quoteattr(series.colour)}/>')
        for x, y, label in points:
            lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill={quoteattr(series.colour)}/>')
            lines.append(_text(x + 6, y - 5, label, 'fill="#555"'))
    for index, entry in enumerate(_legend(chart)):
        y = HEIGHT + 10 + index * _LEGEND_LINE
        lines.append(_text(_LEFT, y, entry.name, f"fill={quoteattr(entry.colour)}"))
    return lines


def _legend(chart: Chart) -> list[Series | Level]:
    return [entry for entry in (*chart.series, *chart.levels) if entry.name]


def _ticks(values: Sequence[float]) -> list[float]:
    """The lines of an axis: from the last one below all the values to the first one above them."""
    low, high = (min(values), max(values)) if values else (1.0, 1.0)
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    found = [step * 10.0**power for power in powers for step in _STEPS]
    below, above = (max(each for each in found if each < low), min(each for each in found if each > high))
    return [each for each in found if below <= each <= above]


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(printable(text))}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], colour: str, attributes: str = "") -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f"<line {ends} stroke={quoteattr(colour)} {attributes}/>"
