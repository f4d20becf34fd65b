#!/usr/bin/env bash
#
# runpath.sh - every program that was built or is installed looks for libraries in absolute
# folders only, or beside itself: an empty or relative entry of RUNPATH is the current
# directory of whoever starts the program.
#
#   RIBOGRID=build/release/ribogrid RIBOGRID_BUILD=build/release tests/runpath.sh
. "$(dirname "$0")/support/shell_test.sh"
command -v readelf >/dev/null || skip "no readelf (Debian: binutils)"
build=${RIBOGRID_BUILD:-$(dirname "$RIBOGRID")}

# elf_files FOLDER: list its programs and libraries.
elf_files()
{
    find "$1" -type f -size +0 ! -name '*.[oa]' -print0 |
        LC_ALL=C xargs -0 grep -lzaP -m1 '^\x7fELF' 2>/dev/null
}

# bad_entries FOLDER: list "FILE ENTRY" for all entries that are neither absolute nor begin
# with $ORIGIN.
bad_entries()
{
    elf_files "$1" | tr '\n' '\0' | xargs -0 readelf -d /dev/null 2>/dev/null | awk '
        /^File: / { file = $2 }
        /\((RUNPATH|RPATH)\)/ {
            sub(/.*\[/, "")
            sub(/\].*/, "")
            n = split($0, entries, ":")
            for (i = 1; i <= n; i++)
                if (entries[i] !~ /^(\/|\$ORIGIN(\/|$)|\$\{ORIGIN\}(\/|$))/)
                    print file, "\"" entries[i] "\""
        }' | sort -u
}

none_in()
{
    local bad

    [ "$(elf_files "$1" | wc -l)" -ge "$2" ] || { echo "too few files in $1" && return 1; }
    bad=$(bad_entries "$1")
    [ -z "$bad" ] && return
    echo "$bad"
    return 1
}

check "no built program searches the current directory" none_in "$build" 2
check "installed" "${CMAKE_COMMAND:-cmake}" --install "$build" --prefix "$tmp/prefix" \
    --component Unspecified
check "no installed program searches the current directory" none_in "$tmp/prefix" 1
check "the installed program runs" "$tmp/prefix/bin/ribogrid" --version
finish
