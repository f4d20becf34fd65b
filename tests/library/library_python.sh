#!/usr/bin/env bash
#
# library_python.sh - the package of Python, as it is installed and by pip: its own tests, and the
# examples.
#
#   RIBOGRID=build/release/ribogrid RIBOGRID_BUILD=build/release tests/library/library_python.sh
. "$(dirname "$0")/../support/shell_test.sh"
is_sanitized && skip "Python is not built with sanitizers"
build=${RIBOGRID_BUILD:-$(dirname "$RIBOGRID")}
source=$here/..
[ -e "$build/libribogrid.so" ] || skip "no $build/libribogrid.so: build ribogrid_library"
for PYTHON in /usr/bin/python3 python3; do
    has_modules cffi numpy pytest && break
    PYTHON=
done
[ -n "$PYTHON" ] || skip "no Python with cffi, numpy and pytest (Debian: python3-cffi python3-numpy python3-pytest)"
export PYTHONDONTWRITEBYTECODE=1
export RIBOGRID

passes()
{
    "$PYTHON" -m pytest -q -x -p no:cacheprovider "$source/python/tests"
}

check "it is installed" "${CMAKE_COMMAND:-cmake}" --install "$build" --prefix "$tmp/prefix"
package=$(dirname "$(find "$tmp/prefix" -path '*/ribogrid/__init__.py')")
check "the installed package has its header and its types" \
    test -s "$package/ribogrid.h" -a -e "$package/py.typed"
PYTHONPATH=$(dirname "$package")
export PYTHONPATH
check "the installed package finds the installed library" \
    "$PYTHON" -c 'import ribogrid as rg; assert rg.align(["ACGT", "ACGA"]).score[0] == 7'
check "its tests pass" passes
if has_modules scipy; then
    "$RIBOGRID" simulate 12 --length 200 --divergence 8 -q -o reads.fa
    check "the example runs" sh -c "$PYTHON $source/examples/python/otus.py reads.fa 0.9 >otus.txt"
    check "it has a group for each sequence" test "$(grep -cP '\t\d+$' otus.txt)" -eq 12
fi
if has_modules scipy pandas; then
    grep '^>' reads.fa | awk '{ print substr($1, 2) "\tBacteria;Genus " (NR + 1) % 3 }' >lineages.tsv
    "$RIBOGRID" classify train reads.fa --taxonomy lineages.tsv --held-out 0 -q -o model.h5
    sed -n '/^## The package/,/^## Result files/p' "$source/docs/python.md" |
        awk '/^```$/ { inside = 0 } inside { print } /^```python$/ { inside = 1 }' >page.py
    check "the code of docs/python.md runs" "$PYTHON" page.py
    check "it is that of the package" test "$(grep -c 'rg\.' page.py)" -gt 16
fi
if has_modules setuptools pip; then
    cp -rL "$source/python" source
    check "pip installs it" "$PYTHON" -m pip install -q --no-build-isolation --no-deps \
        --no-index --target "$tmp/by_pip" ./source
    check "and it runs" env PYTHONPATH="$tmp/by_pip" RIBOGRID_LIBRARY="$build/libribogrid.so" \
        "$PYTHON" -c 'import ribogrid as rg; assert rg.align(["ACGT", "ACGA"]).score[0] == 7'
fi
finish
