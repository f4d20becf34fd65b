"""Plots of results."""

import xml.etree.ElementTree as ET

import pytest

import ribogrid as rg

SVG = "{http://www.w3.org/2000/svg}"


def bars_of(shown):
    """Return the heights of the bars of a picture."""
    bars = ET.fromstring(shown._repr_svg_()).find(f"{SVG}g")
    return [float(bar.get("height")) for bar in bars]


def test_notebooks_show_pictures(sequences):
    pairs = rg.align(sequences)
    assert 1 < len(bars_of(pairs)) <= 40 and max(bars_of(pairs)) == 90
    assert "780 pairs, identities" in pairs._repr_svg_()
    assert len(bars_of(rg.align(sequences, emit="score"))) > 1
    groups = rg.group(pairs, 0.85)
    assert len(bars_of(groups)) == len(groups) and bars_of(groups)[0] == 90
    assert bars_of(groups) == sorted(bars_of(groups), reverse=True)
    assert bars_of(rg.align([])) == bars_of(rg.group(rg.align([]))) == []


def test_plots_are_axes(sequences):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.pyplot import subplots

    pairs = rg.align(sequences)
    ax = pairs.plot()
    assert sum(bar.get_height() for bar in ax.patches) == len(pairs)
    assert ax.get_xlabel() == "identity"
    given = subplots()[1]
    groups = rg.group(pairs, 0.85)
    assert groups.plot(given) is given and len(given.patches) == len(groups)
