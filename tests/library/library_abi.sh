#!/usr/bin/env bash
#
# library_abi.sh - libribogrid.so: its symbols are those of the list and of the header, it links no
# MPI, its header is C11, C17 and C++17, it is found by pkg-config and CMake once it is
# installed, and the examples run.
#
#   RIBOGRID=build/release/ribogrid RIBOGRID_BUILD=build/release tests/library/library_abi.sh
. "$(dirname "$0")/../support/shell_test.sh"
is_sanitized && skip "the library needs a program with its sanitizer"
build=${RIBOGRID_BUILD:-$(dirname "$RIBOGRID")}
source=$here/..
library=$build/libribogrid.so
[ -e "$library" ] || skip "no $library: build ribogrid_library"
command -v readelf >/dev/null || skip "no readelf (Debian: binutils)"

# name@@VERSION of each symbol that it defines, one per line
defined() { readelf -W --dyn-syms "$library" | awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" { print $8 }'; }
exported() { defined | grep -v '^RIBOGRID_' | sed -nE 's/@@RIBOGRID_0(\.[12])?$//p' | sort; }
others() { defined | grep -vE '^RIBOGRID_0(\.[12])?(@@|$)|@@RIBOGRID_0(\.[12])?$'; }
listed() { sed -n 's/^ *\(rg_[a-z_]*\);$/\1/p' "$source/library/libribogrid.map" | sort; }
declared() { grep -o '^RG_API [^(]*(' "$source/library/ribogrid.h" | grep -o 'rg_[a-z_]*($' | tr -d '(' | sort; }
described() { grep -o '\brg_[a-z_]*()' "$source/library/ribogrid.h.3" | tr -d '()' | sort -u; }
same() { diff <("$1") <("$2"); }
needs_no() { ! readelf -d "$library" | grep NEEDED | grep -iE "$1"; }

check "the library has the symbols of the list" same exported listed
check "it has no others" test -z "$(others)"
check "the header declares the symbols of the list" same declared listed
check "the manual page names them all" same described listed
check "MPI is not linked" needs_no 'mpi|pmix|ucx'
check "its soname has the number of the interface" \
    grep -q '\[libribogrid.so.0\]' <(readelf -d "$library")

# the header alone, with every warning
echo '#include "ribogrid.h"' >header.c
cp header.c header.cpp
warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
# shellcheck disable=SC2086 # a list of options
for standard in c11 c17; do
    check "the header is $standard" \
        cc -std=$standard $warnings -Wstrict-prototypes -I"$source/library" header.c
done
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2086
    check "the header is C++17" c++ -std=c++17 $warnings -I"$source/library" header.cpp
fi

# a program that was built with an earlier header
earlier=$here/library/earlier
cat >want.txt <<'END'
0 1 47 14M
0 2 4 
1 2 4 
0 0 2
2 1 0 depth 1
no such file
END
check "a program is built with the first header" cc -std=c11 -Wall -Werror \
    "$earlier/earlier_program.c" "$library" "-Wl,-rpath,$(realpath "$build")" -o earlier
check "it needs symbols of the first version alone" \
    test "$(readelf -V earlier | grep -o 'Name: RIBOGRID_[0-9.]*' | sort -u)" = 'Name: RIBOGRID_0'
check "it runs with this library" diff want.txt <(./earlier)

check "it is installed" "${CMAKE_COMMAND:-cmake}" --install "$build" --prefix "$tmp/prefix"
libdir=$(dirname "$(find "$tmp/prefix" -name libribogrid.so)")
export LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
check "reads" "$RIBOGRID" simulate 12 --length 200 --divergence 8 -q -o reads.fa
check "pairs by the program" "$RIBOGRID" align reads.fa --preset vsearch --emit cigar --id 0.9 \
    -q -o pairs.h5
"$RIBOGRID" view pairs.h5 --no-header -q | awk -F '\t' -v OFS='\t' '{ print $1, $2, $4 "/" $5, $7 }' >program.tsv

example=$source/examples/c
if command -v pkg-config >/dev/null; then
    cp -r "$example" by_make
    check "the example builds with pkg-config" \
        env PKG_CONFIG_PATH="$libdir/pkgconfig" make -s -C by_make
    check "it runs" sh -c 'by_make/close_pairs reads.fa 0.9 >by_make.tsv'
    check "it prints what the program finds" diff program.tsv by_make.tsv
    check "there are such pairs" test -s program.tsv
fi
if command -v pkg-config >/dev/null && command -v Rscript >/dev/null &&
    [ -e "$(R CMD config --cppflags 2>/dev/null | sed -n 's/^-I\([^ ]*\).*/\1/p')/R.h" ]; then
    cp -r "$source/examples/r" by_r
    cat >by_r/run <<END
cd by_r && export PKG_CONFIG_PATH=$libdir/pkgconfig
PKG_CFLAGS=\$(pkg-config --cflags ribogrid) PKG_LIBS=\$(pkg-config --libs ribogrid) \\
    R CMD SHLIB close_pairs.c >&2 && Rscript close_pairs.R ../reads.fa 0.9
END
    check "the example of R runs" sh -c 'sh by_r/run >by_r.tsv'
    check "it finds the same" diff by_r.tsv <(awk -F '[\t/]' -v OFS='\t' \
        '{ print $1, $2, sprintf("%.6f", $3 / $4) }' program.tsv)
fi
check "the example is configured with the CMake package" "${CMAKE_COMMAND:-cmake}" \
    -S "$example" -B by_cmake -DCMAKE_PREFIX_PATH="$tmp/prefix"
check "it builds" "${CMAKE_COMMAND:-cmake}" --build by_cmake
check "it prints the same" diff program.tsv <(by_cmake/close_pairs reads.fa 0.9)
check "an error is one line" expect_exit 1 by_cmake/close_pairs nothing.fa
check "it has the reason" expect_line 'close_pairs: cannot read nothing.fa: ' "$err"
finish
