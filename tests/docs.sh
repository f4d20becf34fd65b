#!/usr/bin/env bash
# docs.sh - docs/commands.md says what --help says; links between documents lead somewhere.
#
# usage: RIBOGRID=... tests/docs.sh
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
if docs/make-commands.sh "$RIBOGRID" | diff docs/commands.md - >&2; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: docs/commands.md is old: docs/make-commands.sh RIBOGRID > docs/commands.md"
fi
for page in *.md docs/*.md; do
    while read -r link; do
        if [ -e "$(dirname "$page")/$link" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $page: $link leads nowhere"
        fi
    done < <(grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//; s/)$//')
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
