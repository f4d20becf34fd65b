#!/usr/bin/env bash
# make-commands.sh - print docs/commands.md, generated from the program's --help.
#
# usage: docs/make-commands.sh RIBOGRID > docs/commands.md
set -eu
program=$1
cat <<'TEXT'
# Commands

The output of `ribogrid COMMAND --help`. A test keeps this page up to date.

Data goes to stdout, messages and progress to stderr. Exit codes: 0 finished, 1 failed, 2 invalid command line, 75 stopped but resumable.
TEXT
"$program" help --commands | while read -r command; do
    # shellcheck disable=SC2016,SC2086 # a command may be two words
    printf '\n## ribogrid %s\n\n```\n%s\n```\n' "$command" "$("$program" $command --help </dev/null)"
done
