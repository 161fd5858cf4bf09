"""Distributions of measured times: percentiles, a table, and a plot as one SVG file. Needs no package."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 640, 190, 56, 34, 26
_COLOUR = "#2a6fdb"


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile, linear between the two nearest values, as numpy's default.

    Args:
        values: at least one, in any order.
        share: in percent, 0 to 100.
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summary(values: Sequence[float], percentiles: Sequence[float]) -> dict[str, float]:
    """Return mean, median and percentiles, under vLLM's keys: `mean`, `median`, `p90`, ..."""
    return {
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
        **{f"p{share:g}": percentile(values, share) for share in percentiles},
    }


def table(times: Mapping[str, Sequence[float]], percentiles: Sequence[float]) -> str:
    """Return a line for each time in milliseconds, its mean, median and percentiles in columns."""
    names = ["mean", *([] if 50 in percentiles else ["median"]), *(f"p{share:g}" for share in percentiles)]
    lines = [f"{'ms':<28}" + "".join(f"{name:>10}" for name in names)]
    for title, values in times.items():
        if values:
            cells = summary([value * 1000 for value in values], percentiles)
            lines.append(f"{title:<28}" + "".join(f"{cells[name]:>10.2f}" for name in names))
    return "\n".join(lines)


def plot(title: str, times: Mapping[str, Sequence[float]]) -> str:
    """Return an SVG image with the cumulative distribution of each time.

    Args:
        times: seconds, by the title of their panel; panels without values are left out.
    """
    panels = [(name, sorted(value * 1000 for value in values)) for name, values in times.items() if values]
    height = _TOP + len(panels) * (_HEIGHT + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12" fill="#222">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for number, (name, values) in enumerate(panels):
        parts += _panel(name, values, _TOP + number * (_HEIGHT + _GAP))
    return "\n".join([*parts, "</svg>", ""])


def _panel(name: str, values: Sequence[float], top: float) -> list[str]:
    """Draw axes, a step line, and marks at the median and the 99th percentile."""
    left, right, bottom = _LEFT, _WIDTH - 20, top + _HEIGHT - 34
    most = _round_up(values[-1])
    width, rise = right - left, bottom - (top + 20)

    def at(value: float, share: float) -> tuple[float, float]:
        return round(left + width * value / most, 1), round(bottom - rise * share, 1)

    parts = [f'<text x="{left}" y="{top + 12}">{escape(name)}, ms; share of values up to it</text>']
    for share in (0.0, 0.5, 0.9, 1.0):
        _, y = at(0, share)
        parts.append(f'<path d="M{left} {y}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end" fill="#666">{share:.0%}</text>')
    for tick in range(5):
        x, _ = at(most * tick / 4, 0)
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle" fill="#666">{most * tick / 4:g}</text>')
    start_x, start_y = at(values[0], 0)
    steps = [f"M{start_x} {start_y}"]
    for number, value in enumerate(values, start=1):
        x, y = at(value, number / len(values))
        steps.append(f"H{x}V{y}")
    parts.append(f'<path d="{"".join(steps)}" fill="none" stroke="{_COLOUR}" stroke-width="2"/>')
    for share in (50, 99):
        value = percentile(values, share)
        x, y = at(value, share / 100)
        anchor, shift = ("end", -6) if x > left + width / 2 else ("start", 6)
        parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{_COLOUR}"/>')
        parts.append(f'<text x="{x + shift}" y="{y + 14}" text-anchor="{anchor}">p{share} {value:.4g}</text>')
    return parts


def _round_up(value: float) -> float:
    """Return the next number of one or two digits that four ticks divide well; 1 for 0."""
    if value <= 0:
        return 1.0
    scale = 10.0 ** math.floor(math.log10(value))
    return next(step * scale for step in (1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10) if step * scale >= value * 0.9999)
