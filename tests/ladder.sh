#!/usr/bin/env bash
# ladder.sh - print the rooms, lowest first: each includes and calls only itself and those
# printed before it.  They are the headings of the folders' README.md, in this order.
#
# usage: tests/ladder.sh [ROOT]
cd "${1:-$(dirname "$0")/..}" || exit 1
# shellcheck disable=SC2016 # backticks of Markdown
for folder in io kernels graph cnn worker library dispatcher tools bench; do
    sed -n 's/^## `\([a-z0-9_/]*\)`$/\1/p' "$folder/README.md"
done
