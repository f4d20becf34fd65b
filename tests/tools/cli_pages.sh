#!/usr/bin/env bash
#
# cli_pages.sh - manual pages have every command and option, mandoc and groff find nothing
# wrong in them, and bash completes command lines.
. "$(dirname "$0")/../support/shell_test.sh"
mkdir pages
"${MAKE_PAGES:?give the program make_pages}" pages || exit 1

# alike FILE FILE: the texts are equal; either may be a pipe.
alike()
{
    diff "$1" "$2"
}

# lists_options COMMAND...: its page has the options of its --help, and no others.
lists_options()
{
    local page

    page=pages/ribogrid-$(printf '%s' "$*" | tr ' ' -).1
    "$RIBOGRID" "$@" --help | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE -- '--.*' >help
    sed -n 's/\\//g; s/^\(fB-.fR, \)\{0,1\}fB\(--[a-z0-9-]*\)fR.*/\2/p' "$page" >listed
    alike help listed
}

# finds_nothing PROGRAM ARGUMENT...: it prints nothing about the pages.
finds_nothing()
{
    "$@" >found 2>&1
    [ ! -s found ] || { head -n 3 found && false; }
}

test_pages()
{
    local command

    "$RIBOGRID" help --commands >commands
    # pages without a command of options: `cnn --help` lists commands only
    check "every command has a page" alike <({ tr ' ' - <commands && printf "automata\ncnn\ndevice\nmesh\n"; } | sort) \
        <(printf '%s\n' pages/ribogrid-*.1 | sed 's:pages/ribogrid-::; s:[.]1$::' \
            | sort)
    while read -r command; do
        # shellcheck disable=SC2086 # a command may be two words
        check "the page of $command lists its options" lists_options $command </dev/null
    done <commands
    check "the page of the program lists the commands" alike \
        <("$RIBOGRID" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx ribogrid) \
        <(sed -n 's/^.BR ribogrid.-\([a-z]*\) (1)$/\1/p' pages/ribogrid.1 | awk '!seen[$0]++')
    if command -v mandoc >/dev/null; then
        check "mandoc finds nothing wrong" finds_nothing mandoc -T lint -W warning pages/*.1
    fi
    if command -v groff >/dev/null; then
        for command in pages/*.1; do
            check "groff finds nothing wrong in $command" \
                finds_nothing groff -man -ww -z -T utf8 "$command"
        done
    fi
    if command -v man >/dev/null && man -l pages/ribogrid.1 >/dev/null 2>&1; then
        check "man shows the page of align" grep -q -- '--against REF' \
            <(MANWIDTH=100 man -l pages/ribogrid-align.1)
    fi
}

# proposes "WORD..." WORD...: bash proposes these for the last of the words of a line.
proposes()
{
    local due=$1

    shift
    COMP_WORDS=(ribogrid "$@")
    COMP_CWORD=$#
    _ribogrid
    [ "${COMPREPLY[*]}" = "$due" ] && return
    echo "'${COMPREPLY[*]}', not '$due'"
    return 1
}

test_completion()
{
    # shellcheck disable=SC1090,SC1091 # made above
    . <(cat pages/tables.bash "$here/../tools/completion.bash")
    check "bash knows how to complete" alike <(complete -p ribogrid) \
        <(echo 'complete -F _ribogrid ribogrid')
    touch reads.fa 'two words.fa'
    check "commands" proposes 'cluster clades classify' cl
    check "options of the program" proposes '--version' --v
    check "options" proposes '--top' align reads.fa --to
    check "--help" proposes '--help' view --he
    check "words of an option" proposes 'identity' align --emit i
    check "words of a device" proposes 'auto cpu cuda any' align --device ''
    check "no words of a number" proposes '' align --threads ''
    check "a number that begins with a dash" proposes '' align --gap -
    check "files of an option" proposes 'reads.fa' align --against re
    check "files of its letter" proposes 'reads.fa' align -o re
    check "files with blanks" proposes 'two words.fa' align two
    check "options of words of two" proposes '--sparsity' graph make --sp
    check "words of cnn" proposes 'predict' cnn pr
    check "subcommand" proposes 'train' classify tr
    check "files beside a subcommand" proposes 'reads.fa' classify re
    check "algorithms" proposes 'bfs' graph bf
    check "networks" proposes 'lenet' cnn train lene
    check "help of commands" proposes 'selftest' help sel
    check "help of commands of two words" proposes 'run make update' help graph ''
    check "no files after help" proposes '' help align re
    check "no options of an unknown command" proposes '' unknown --
}

test_pages
test_completion
finish
