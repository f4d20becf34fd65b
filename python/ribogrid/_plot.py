"""Small plots: by matplotlib if it is asked for, as SVG in notebooks."""

from html import escape
from typing import Any, Tuple

import numpy as np

_WIDTH, _HEIGHT, _BASE, _LEFT = 320, 150, 118, 8
_BINS = 40


def histogram(values: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Count values in equal intervals. @return counts [bins], edges [bins + 1]"""
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return np.zeros(1, np.int64), np.array([0.0, 1.0])
    return np.histogram(values, _BINS)


def svg(counts: np.ndarray, edges: np.ndarray, title: str, label: str) -> str:
    """Draw bars of counts as a picture that needs no library."""
    most = max(int(counts.max()), 1)
    step = (_WIDTH - 2 * _LEFT) / len(counts)
    bars = "".join(
        f'<rect x="{_LEFT + k * step:.2f}" y="{_BASE - 90 * n / most:.2f}" '
        f'width="{max(step - 1, 0.5):.2f}" height="{90 * n / most:.2f}"/>'
        for k, n in enumerate(counts.tolist()) if n > 0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="11" '
        f'fill="#444"><rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>'
        f'<text x="{_LEFT}" y="16">{escape(title)}</text><g fill="#3b6ea5">{bars}</g>'
        f'<path d="M{_LEFT} {_BASE}H{_WIDTH - _LEFT}" stroke="#444"/>'
        f'<text x="{_LEFT}" y="{_BASE + 13}">{edges[0]:g}</text>'
        f'<text x="{_WIDTH // 2}" y="{_BASE + 26}" text-anchor="middle">{escape(label)}</text>'
        f'<text x="{_WIDTH - _LEFT}" y="{_BASE + 13}" text-anchor="end">{edges[-1]:g}</text>'
        "</svg>")


def bars(counts: np.ndarray, edges: np.ndarray, label: str, y_label: str, ax: Any) -> Any:
    """Draw the same into axes of matplotlib, or into new ones. @return the axes"""
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.subplots()[1]
    ax.bar(edges[:-1], counts, np.diff(edges), align="edge", edgecolor="white", linewidth=0.3)
    ax.set_xlabel(label)
    ax.set_ylabel(y_label)
    return ax
