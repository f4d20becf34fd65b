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

## Options of several commands

A word has one meaning and one type of value in all commands. A command may take fewer of its values, or several, separated by commas. `ribogrid help --options` lists all options.

- `--format` is that of the output, `--input-format` that of a graph which is read.
- `--primers` cuts the region of a gene out of reads and references; `view --region` selects rows and columns of a matrix.
- `--samples` are samples of reads; the references that training tests itself with are `--held-out`.
- `--verify` checks a result against its definition; `--recompute` and `--redundancy` compute it several times.
- Tables are tab-separated; `--tsv` is for commands that otherwise print for people. There is no JSON: a table has one form.
- `-o -` is stdout, for all outputs that are one text. HDF5 cannot be written there. Nothing is kept of a job with `-o -` that is stopped.
- `--plan` is of every job, and computes a sample of the tasks at most. `cnn plan` is a command, because it needs no images.
- An old word works with a warning until the next version.

| option | meaning | commands |
|---|---|---|
TEXT
"$program" help --options | while IFS=$'\t' read -r name letter value meaning commands; do
    case $commands in
    all | *,*) ;;
    *) continue ;;
    esac
    [ "$letter" = - ] || name="-$letter, $name"
    [ "$value" = - ] || name="$name ${value//|/\\|}"
    # shellcheck disable=SC2016 # no command: the quotes of Markdown
    printf '| `%s` | %s | %s |\n' "$name" "$meaning" "$commands"
done
"$program" help --commands | while read -r command; do
    # shellcheck disable=SC2016,SC2086 # a command may be two words
    printf '\n## ribogrid %s\n\n```\n%s\n```\n' "$command" "$("$program" $command --help </dev/null)"
done
