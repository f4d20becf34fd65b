#!/usr/bin/env bash
#
# cli_graph_update.sh - `ribogrid graph update`: the same file as of all edges at once, and
# what is refused.
. "$(dirname "$0")/../support/shell_test.sh"

# update WANT GRAPH OPTION...: the edges of the updated graph, each as "a b c,".
update()
{
    local want=$1

    shift
    expect_exit 0 "$RIBOGRID" graph update "$@" -q --format edges -o - || return 1
    grep -v '^#' "$out" | tr '\t\n' ' ,' >got.txt
    [ "$(cat got.txt)" = "$want" ] && return
    echo "not $want:"
    cat got.txt
    return 1
}

# refused WANT WORD...: exit code 1, one line with WANT, and no output.
refused()
{
    local want=$1

    shift
    expect_exit 1 "$RIBOGRID" graph update "$@" -o no.h5 && expect_line "$want" "$err" &&
        [ ! -e no.h5 ]
}

test_by_hand()
{
    printf '1 2\n2 3\n3 1\n' >directed.txt
    sed '1i # Undirected' directed.txt >undirected.txt
    printf '2 1\n' >back.txt
    printf '2 3\n' >forth.txt
    printf '9 2\n' >new.txt
    printf '1 2 7\n2 3 1\n' >weights.txt
    printf '1 2 3\n5 2 4\n' >lighter.txt
    check "an edge is removed" update '1 2,3 1,' directed.txt --remove forth.txt
    check "an edge and its node are added" update '1 2,2 3,3 1,9 2,' directed.txt --add new.txt
    check "undirected edges have no direction" update '1 3,2 3,' undirected.txt --remove back.txt
    check "unless --directed" update '1 2,1 3,2 3,3 1,3 2,' undirected.txt --remove back.txt \
        --directed
    check "removed first, then added" update '1 2,2 1,2 3,3 1,' directed.txt --remove forth.txt \
        --add both.txt
    check "weights" update '1 2 7,1 2 3,2 3 1,5 2 4,' weights.txt --add lighter.txt
    check "the smallest of repeated ones" update '1 2 3,2 3 1,5 2 4,' weights.txt \
        --add lighter.txt --dedupe
    check "absent edges, if they may be" update '1 2,2 3,3 1,' directed.txt --remove back.txt \
        --allow-absent
}

# A graph without some of its edges, to which they are added again, is the same file.
test_files()
{
    "$RIBOGRID" graph make rmat --scale 8 -q --dedupe --drop-loops -o all.h5
    "$RIBOGRID" graph update all.h5 --add none.txt -q -o all.el
    grep -v '^#' all.el | awk 'NR % 7 == 0' >some.el
    check "remove" expect_exit 0 "$RIBOGRID" graph update all.h5 --remove some.el -o few.h5
    check "says what changed" grep -q 'few.h5: 256 nodes (+0), .* arcs (-' "$err"
    check "add" expect_exit 0 "$RIBOGRID" graph update few.h5 --add some.el --threads 2 -q \
        -o again.h5
    check "the same datasets" "$EQUAL_DATASETS" all.h5 again.h5
    check "info has the command" grep -q 'graph update few.h5 --add some.el' \
        <("$RIBOGRID" info again.h5)
    check "bfs of it" expect_exit 0 "$RIBOGRID" graph bfs again.h5 --verify -q -o bfs.h5
}

test_refused()
{
    printf 'a b\n' >names.txt
    check "an absent edge" refused 'back.txt: the graph has no edge from 2 to 1; ' \
        directed.txt --remove back.txt
    check "an edge of an absent node" refused 'new.txt: the graph has no edge from 9 to 2; ' \
        directed.txt --remove new.txt
    check "weights without need" refused 'weights.txt: its edges have weights' directed.txt \
        --add weights.txt
    check "missing weights" refused 'new.txt: its edges have no weights' weights.txt --add new.txt
    check "names" refused 'names.txt: its nodes have names' directed.txt --add names.txt
    check "names in the graph" refused 'names.txt: its nodes have names' names.txt --add new.txt
    check "a malformed line" refused \
        "bad.txt:2: the target 'x' is not .*; write 'SOURCE TARGET' or 'SOURCE TARGET WEIGHT'$" \
        directed.txt --add bad.txt
    check "nothing to do" expect_exit 2 "$RIBOGRID" graph update directed.txt -o no.h5
    check "--allow-absent without --remove" expect_exit 2 "$RIBOGRID" graph update directed.txt \
        --add new.txt --allow-absent -o no.h5
    check "an output that is an input" expect_exit 2 "$RIBOGRID" graph update directed.txt \
        --add new.txt --force -o new.txt
}

printf '2 3\n2 1\n' >both.txt
printf '# Nodes: 0\n' >none.txt
printf '1 2\n1 x\n' >bad.txt
test_by_hand
test_files
test_refused
finish
