#!/usr/bin/env python3
"""Extract the heat map of a report as an SVG file.

usage: heatmap.py REPORT.html OUT.svg
"""
import re
import sys

STYLE = """<style>
.missing{fill:#cdd1d5}.tick{stroke:#1b1f24;stroke-width:1;fill:none}
.grid{stroke:#d5dae0;stroke-width:1}.title{font-weight:600}tspan.soft{fill:#59636e}
</style>
<rect width="100%" height="100%" fill="#fff"/>
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        found = re.search(r'<svg id="heat".*?</svg>', file.read(), re.DOTALL)
    if found is None:
        sys.exit(f"{sys.argv[1]}: no heat map found; give a page that `ribogrid report` wrote")
    picture = found.group(0).replace("currentColor", "#1b1f24")
    head, rest = picture.split("\n", 1)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(f"{head}\n{STYLE}{rest}\n")


main()
