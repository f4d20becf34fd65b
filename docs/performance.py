#!/usr/bin/env python3
"""Draw the charts of performance.md and search.md, and those of bench/graph_nested.sh, as
SVG from the output of `ribogrid-bench align --tsv`, `ribogrid-bench graph --tsv` and
`bench/search_proteins.py`.

usage: performance.py memory|pairs|length|buffers|trees|launches|sparsity|calibration|
                      searches RESULTS.tsv OUT.svg

memory   rates of --kernel baseline by length: --init host|device, --pinned on|off
pairs    rates of GPU kernels / the rate of `simd` on 8 threads, by the number of pairs
length   the same, by length
buffers  rates by the number of --batches: --buffers 1|2, --pinned on|off
trees    speed-ups over --template flat by the children of a node: tree:LEVELS:CHILDREN
launches speed-ups over plain launches (rec-naive), in the same way
sparsity the same by the inverse probability of children: tree:LEVELS:CHILDREN:SPARSITY
calibration  pairs found of those of blastp, by the false hits up to an E-value of 1
searches pairs found of those of blastp, by processor seconds

RESULTS.tsv may hold the output of several runs, each with its header line; lines that
begin with # become the caption.  bench/charts.sh and bench/graph_nested.sh write such files.
"""
import math
import sys
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 820, 76, 540, 76, 396
LEGEND_LETTER = 8.2  # maximum mean width of a letter at font size 13, pixels
REFERENCE_THREADS = "8"
CAPTION_LETTERS = 118  # per line
MARKS = ("M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-4,-4h8v8h-8z", "M0,-5L5,4H-5z",
         "M0,-5.5L5,0L0,5.5L-5,0z", "M-4.5,-4H4.5L0,5z", "M-5,-1.5h10v3h-10z")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "", "7 3")
LIGHT = ("#0b62a8", "#c2410c", "#117a4b", "#7a3fa0", "#8a6100", "#a81d5e")
DARK = ("#6cb6ff", "#ff9d5c", "#5fd39a", "#cfa3f0", "#e0b84a", "#ff8fbf")


class Unusable(Exception):
    """The results cannot be drawn."""


def read(path):
    """Return the comment lines of a TSV, and its rows as dicts, without rows that have no rate."""
    notes, rows, head = [], [], None
    with open(path, encoding="utf-8") as f:
        for line in f:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#"):
                notes.append(line[1:].strip())
            elif cells[0] in ("what", "algorithm", "mask", "program"):
                head = cells
            elif head is None or len(cells) != len(head):
                raise Unusable(f"{path}: not the output of ribogrid-bench --tsv")
            else:
                rows.append(dict(zip(head, cells)))
    rows = [row for row in rows if row.get("gcups") != "NA"]
    for row in rows:
        if "what" not in row:
            continue
        row["kernel"], row["emit"], row["ends"] = row["what"].removeprefix(
            "auto: ").split("/")
        row["pairs"], row["length"] = (int(n) for n in row["sizes"].split("x")[:2])
        row["is_gpu"] = row["device"].startswith("cuda")
    return notes, rows


def by_settings(rows, x, settings, words, scale):
    """Return one series per combination of settings: {name: [(x, rate)]}."""
    series = {}
    for row in rows:
        if any(row[key] not in words[key] for key in settings):
            continue
        name = ", ".join(words[key][row[key]] for key in settings)
        series.setdefault(name, []).append((float(row[x]), float(row["gcups"]) * scale))
    return series


def speedups(rows, x):
    """Return rates of GPU kernels / that of the reference for the same work, one series each."""
    def work(row):
        return row["sizes"], row["scores"], row["emit"], row["ends"], row["input"]

    reference = {work(row): float(row["gcups"]) for row in rows
                 if row["kernel"] == "simd" and row["threads"] == REFERENCE_THREADS}
    kinds = {(row["emit"], row["ends"]) for row in rows}
    series = {}
    for row in rows:
        if row["is_gpu"] and work(row) in reference:
            name = row["kernel"] if len(kinds) == 1 else (
                f"{row['kernel']}, {row['emit']}, {row['ends']} ends")
            point = float(row[x]), float(row["gcups"]) / reference[work(row)]
            series.setdefault(name, []).append(point)
    return series


def over(reference, rows, number_of):
    """Return times of a setting / times of all others; number_of(sizes) is x, or None."""
    chosen = [(number_of([int(n) for n in row["input"].split(":")[1:]]), row)
              for row in rows if row["input"].startswith("tree:")]
    times = {x: float(row["median_s"]) for x, row in chosen if row["setting"] == reference}
    series = {}
    for x, row in chosen:
        if x is not None and row["setting"] != reference:
            series.setdefault(row["setting"], []).append((x, times[x] / float(row["median_s"])))
    return series


def children(sizes):
    """Return the children of a node of a full tree, or None."""
    return sizes[1] if len(sizes) == 2 else None


def by_composition(rows):
    """Return one series per way to score, with a point per mask; blastp is one, too."""
    series = {}
    for row in rows:
        name = row["mask"] if row["composition"] == "-" else "--composition " + row["composition"]
        if float(row["false_1"]) > 0:  # there is no 0 on the axis
            series.setdefault(name, []).append((float(row["false_1"]), float(row["shared"])))
    return series


def by_program(rows):
    """Return one series per program, with a point per mode."""
    series = {}
    for row in rows:
        name = row["program"].split(" ")[0]
        series.setdefault(name, []).append((float(row["processor"]), float(row["shared"])))
    return series


MEMORY = {"init": {"host": "copy the matrix", "device": "copy the score"},
          "pinned": {"on": "pinned", "off": "pageable"}}
BUFFERS = {"buffers": {"1": "one in flight", "2": "two in flight"},
           "pinned": MEMORY["pinned"]}
CHARTS = {
    "memory": ("The cost of moving the matrix: a plain kernel, one pair at a time",
               "bases per sequence", "10⁹ cells per second",
               lambda rows: by_settings([r for r in rows if r["kernel"] == "baseline"],
                                        "length", ("init", "pinned"), MEMORY, 1)),
    "pairs": ("GPU kernels compared with simd on 8 CPU threads", "pairs",
              "speed-up over 8 threads", lambda rows: speedups(rows, "pairs")),
    "length": ("GPU kernels compared with simd on 8 CPU threads",
               "bases per sequence", "speed-up over 8 threads",
               lambda rows: speedups(rows, "length")),
    "buffers": ("Two batches in flight, and pinned memory",
                "number of batches", "10¹² cells per second",
                lambda rows: by_settings(
                    [r for r in rows if r["is_gpu"] and r["kernel"] != "baseline"],
                    "batches", ("buffers", "pinned"), BUFFERS, 1e-3)),
    "trees": ("tree-descendants of full trees of four levels", "children per node",
              "speed-up over flat", lambda rows: over("flat", rows, children)),
    "launches": ("tree-descendants of full trees of four levels", "children per node",
                 "speed-up over plain launches", lambda rows: over("rec-naive", rows, children)),
    "sparsity": ("tree-descendants of trees of four levels, 256 children per node that has any",
                 "inverse probability of children", "speed-up over flat",
                 lambda rows: over("flat", rows, lambda of: 2 ** (of + [0])[2]
                                   if of[1] == 256 else None)),
    "searches": ("Protein search: each program by its modes", "processor seconds",
                 "% of the pairs of blastp", by_program),
    "calibration": ("Searches of proteins with --mask tantan, seg, db and none",
                    "false hits per query up to an E-value of 1",
                    "% of the pairs of blastp", by_composition),
}


class Axis:
    """A logarithmic axis from pixel a to pixel b."""

    def __init__(self, low, high, a, b):
        self.low, self.a, self.b = math.log(low), a, b
        self.span = math.log(high) - self.low

    def at(self, value):
        fraction = (math.log(value) - self.low) / self.span if self.span > 0 else 0.5
        return self.a + fraction * (self.b - self.a)


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def round_values(low, high):
    """Return about 3 to 9 round numbers that span low to high."""
    decades = math.log10(high / low)
    steps = (1,) if decades > 4 else (1, 2, 5) if decades > 0.8 else (
        1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    every = [step * 10.0 ** power for power in range(math.floor(math.log10(low)) - 1,
             math.ceil(math.log10(high)) + 2) for step in steps]
    first = max(i for i, value in enumerate(every) if value <= low * 1.000001)
    last = min(i for i, value in enumerate(every) if value >= high * 0.999999)
    if first == last:
        first, last = first - 1, last + 1
    return [float(f"{value:.6g}") for value in every[first:last + 1]]


def spaced(axis, values, letter_width=8):
    """Return the values whose labels do not touch, always including the last one."""
    kept = []
    for value in sorted(values, reverse=True):
        reach = len(number(value)) * letter_width / 2
        if not kept or axis.at(value) + reach + 6 < kept[-1][1]:
            kept.append((value, axis.at(value) - reach))
    return [value for value, _ in kept]


def style():
    def colours(of):
        return "".join(f".s{i}{{stroke:{colour}}}.m{i}{{fill:{colour}}}"
                       for i, colour in enumerate(of))

    return ("<style>text{fill:#1f2328}.minor{fill:#59636e}.paper{fill:#fff}"
            ".grid{stroke:#d1d9e0}.edge{stroke:#59636e}.line{fill:none;stroke-width:2.2}"
            f"{colours(LIGHT)}@media (prefers-color-scheme:dark){{text{{fill:#e6edf3}}"
            ".minor{fill:#9aa4af}.paper{fill:#0d1117}.grid{stroke:#30363d}"
            f".edge{{stroke:#9aa4af}}{colours(DARK)}}}</style>")


def draw_axes(x, y, x_values, y_values, x_title, y_title):
    lines = []
    for value in y_values:
        lines.append(f'<path class="grid" d="M{LEFT},{y.at(value):.1f}H{RIGHT}"/>'
                     f'<text x="{LEFT - 8}" y="{y.at(value) + 4:.1f}" '
                     f'text-anchor="end">{number(value)}</text>')
    for value in x_values:
        lines.append(f'<path class="edge" d="M{x.at(value):.1f},{BOTTOM}v5"/>')
    for value in spaced(x, x_values):
        lines.append(f'<text x="{x.at(value):.1f}" y="{BOTTOM + 20}" '
                     f'text-anchor="middle">{number(value)}</text>')
    lines.append(f'<path class="edge" d="M{LEFT},{BOTTOM}H{RIGHT}"/>')
    lines.append(f'<text class="minor" x="{LEFT - 60}" y="{TOP - 22}">'
                 f'{escape(y_title)} (log scale)</text>')
    lines.append(f'<text class="minor" x="{(LEFT + RIGHT) // 2}" y="{BOTTOM + 44}" '
                 f'text-anchor="middle">{escape(x_title)} (log scale)</text>')
    return lines


def draw_series(x, y, i, points):
    path = "L".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in points)
    k = i % len(LIGHT)
    lines = [f'<path class="series line s{k}" stroke-dasharray="{DASHES[k]}" '
             f'd="M{path}"/>']
    lines += [f'<path class="m{k}" transform="translate({x.at(a):.1f},{y.at(b):.1f})" '
              f'd="{MARKS[k]}"><title>{number(a)}: {b:.4g}</title></path>'
              for a, b in points]
    return lines


def draw_legend(names):
    lines = []
    for i, name in enumerate(names):
        at, k = TOP + 8 + 24 * i, i % len(LIGHT)
        lines.append(f'<path class="line s{k}" stroke-dasharray="{DASHES[k]}" '
                     f'd="M{RIGHT + 20},{at}h34"/><path class="m{k}" '
                     f'transform="translate({RIGHT + 37},{at})" d="{MARKS[k]}"/>'
                     f'<text x="{RIGHT + 62}" y="{at + 4}">{escape(name)}</text>')
    return lines


def wrapped(notes):
    """Wrap the caption at blanks."""
    lines = []
    for note in notes:
        line = ""
        for word in note.split():
            if line and len(line) + len(word) + 1 > CAPTION_LETTERS:
                lines.append(line)
                line = "    "
            line += (" " if line.strip() else "") + word
        lines.append(line)
    return lines


def draw(chart, notes, rows):
    """Return the SVG as text."""
    title, x_title, y_title, choose = CHARTS[chart]
    series = {name: sorted(points) for name, points in choose(rows).items()}
    points = [point for one in series.values() for point in one]
    if not points:
        raise Unusable(f"no rows for the chart '{chart}'")
    names = sorted(series, key=lambda name: -series[name][-1][1])  # the order at the right end
    x_values = sorted({a for a, _ in points})
    y_values = round_values(min(b for _, b in points), max(b for _, b in points))
    x = Axis(x_values[0], x_values[-1], LEFT + 14, RIGHT - 14)
    y = Axis(y_values[0], y_values[-1], BOTTOM, TOP)
    caption = wrapped(notes)
    width = max(WIDTH, RIGHT + 78 + LEGEND_LETTER * max(len(name) for name in names))
    height = max(BOTTOM + 66 + 16 * len(caption), TOP + 24 * len(names) + 20)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
             f'role="img" font-family="sans-serif" font-size="13">{style()}'
             f'<title>{escape(title)}</title>'
             f'<rect class="paper" width="{width:.0f}" height="{height}"/>'
             f'<text x="{LEFT - 60}" y="28" font-size="16">{escape(title)}</text>']
    lines += draw_axes(x, y, x_values, y_values, x_title, y_title)
    for i, name in enumerate(names):
        lines += draw_series(x, y, i, series[name])
    lines += draw_legend(names)
    lines += [f'<text class="minor" x="{LEFT - 60}" y="{BOTTOM + 70 + 16 * i}" '
              f'font-size="11" xml:space="preserve">{escape(text)}</text>'
              for i, text in enumerate(caption)]
    return "\n".join(lines + ["</svg>\n"])


def main(chart, source, target):
    notes, rows = read(source)
    text = draw(chart, notes, rows)
    with open(target, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in CHARTS:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, Unusable, KeyError, ValueError) as error:
        sys.exit(f"performance.py: {error}")
