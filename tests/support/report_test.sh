# report_test.sh - functions for tests of pages: made files of hits, elements of pages, read
# by a browser if there is one.  Sourced after shell_test.sh.
# shellcheck shell=bash disable=SC2034,SC2154

need_h5py
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    echo "without chromium: pages are parsed as they were written"
hits="$PYTHON $here/tools/make_hits.py"

# read_page PAGE: write its elements to $tmp/elements, as tab-separated lines.
read_page()
{
    [ -n "$browser" ] || cp "$1" dom.html
    [ -z "$browser" ] || HOME=$tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$tmp/$1" >dom.html 2>browser.log || { tail -3 browser.log; return 1; }
    "$PYTHON" "$here/tools/report_elements.py" dom.html >elements
}

# has NAME VALUE...: an element is present; blanks stand for tabs.
has()
{
    local want="$*"

    tr '\t' ' ' <elements | grep -Fxq -- "$want" && return
    echo "not '$want':"
    grep "^$1" elements | head -5
    return 1
}

