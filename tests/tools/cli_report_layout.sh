#!/usr/bin/env bash
#
# cli_report_layout.sh - pages of all kinds on a screen and on a phone: no text is cut off
# or lies on another, no page is too wide, every picture can be saved.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/report_test.sh"
[ -n "$browser" ] || skip "no chromium"

long=$(head -c 300 /dev/zero | tr '\0' N) # a wide letter

# measure PAGE,...: write one line per page and width to $tmp/measured.
measure()
{
    cp "$here/tools/page_layout.html" .
    HOME=$tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --allow-file-access-from-files --virtual-time-budget=30000 --window-size=1300,2100 \
        --dump-dom "file://$tmp/page_layout.html#$1" 2>browser.log | sed -n '/<body>/,$p' |
        sed 's/.*<body>//; s|</body>.*||' >measured
}

# draw NAME ARGUMENT...: write NAME.html.
draw()
{
    local page=$1

    shift
    check "a page is drawn: $page" "$RIBOGRID" report "$@" -q -o "$page.html"
    pages=${pages:+$pages,}$page.html
}

# Two groups joined by w; names with markup and of 300 letters, lineages and a title, too.
draw_one_set()
{
    $hits odd.h5 "a<b>&\"c,$long,${long}2,x,y,z,w" - 0,1,99,100 0,2,99,100 1,2,99,100 \
        3,4,99,100 3,5,99,100 4,5,99,100 0,6,97,100 1,6,97,100 2,6,97,100 3,6,97,100 \
        4,6,97,100 5,6,97,100
    printf '%s\n' "a<b>&\"c	Bacteria;P<i>&;$long;O;F;$long" \
        "$long	Bacteria;$long;C;O;F;G&<b>" 'x	Archaea;Q' >odd.tax
    draw odd odd.h5 --taxonomy odd.tax --title "$long<&>"
    draw bridges odd.h5
    $hits none.h5 a,b -
    draw none none.h5
    # shellcheck disable=SC2046 # one argument per pair
    $hits blocks.h5 "$(seq -s , 100)" - $(awk 'BEGIN { for (i = 0; i < 20; i++)
        for (j = i + 1; j < 20; j++) if (int(i / 5) == int(j / 5)) print i "," j ",99,100" }')
    seq 100 | sed "s/.*/&	Bacteria;P;C;O;F;g__$long;s__coli/" >blocks.tax
    draw blocks blocks.h5 --taxonomy blocks.tax
    "$RIBOGRID" simulate 40 --length 100 --seed 3 -o dense.fa
    for i in $(seq 40); do
        printf 'sim%d\tsample-%d with a long name\t%d\n' "$i" $((i % 14)) "$i"
    done >dense.samples
    sed -n 's/^>\([^ ]*\).*/\1/p' dense.fa |
        awk '{ print $1 "\tBacteria;P" int(NR / 4) ";Class of " NR }' >dense.tax
    "$RIBOGRID" align dense.fa --samples dense.samples -q --device cpu -o dense.h5
    draw dense dense.h5 --taxonomy dense.tax
}

draw_references()
{
    $hits against.h5 "$long:2,q<1>:1" "r<&>,$long" 0,0,99,100 1,1,98,100
    printf '%s\n' 'r<&>	B;P;C;O;F;<G&>' "$long	B;P;C;O;F;$long" >against.tax
    draw against against.h5 --taxonomy against.tax
    $hits nothing.h5 a,b r
    draw nothing nothing.h5
    $hits single.h5 a r 0,0,1,1
    draw single single.h5
}

draw_names()
{
    local header='name	strand	lineage	support	method'

    printf '%s\n' "$header" "$long	+	B;P;C;O;F;$long	1;1;1;1;1;1	nbc" \
        'b	+	B;P;C;O;F;<&>	1;1;1;1;1;1	nbc' >odd.tsv
    printf '%s\n' "$long	$long" 'b	<s>&' >odd.samples
    draw names odd.tsv --samples odd.samples
    printf '%s\n' "$header" 'a	+	unclassified	NA	nbc' >unnamed.tsv
    draw unnamed unnamed.tsv
}

draw_networks()
{
    printf '%s\n' '[net]' 'input = 1x28x28' 'classes = 4' '[layers]' 'pool = max 7' \
        'out = linear classes' 'loss = softmax' '[solver]' 'batch = 10' 'epochs = 2' >net.ini
    "$RIBOGRID" cnn train net.ini synthetic:40 --test synthetic:20 -q -o net.h5
    "$RIBOGRID" cnn time net.ini --batch 2,4 --device cpu --runs 1 --seconds 0.5 >times.tsv
    check "a page of networks is drawn" "$RIBOGRID" cnn report net.h5 times.tsv googlenet \
        -o networks.html
    pages=$pages,networks.html
}

# A fault of each kind, and a line without one.
test_measuring()
{
    cat >faults.html <<'EOF'
<!DOCTYPE html><body style="margin:0"><svg id="s" width="300" height="99">
<text x="10" y="20">one</text><text x="10" y="22">two</text><text x="280" y="60">three</text>
<text x="10" y="60"><title>at the pointer</title>alone</text></svg>
<table style="width:60px"><tr><td style="overflow-wrap:anywhere">more than twenty letters
</table><p style="width:500px">wide
EOF
    measure faults.html
    check "text on text is found" grep -q "^faults.html.1280.1.0.*	s: 'one' on 'two'" measured
    check "cut text is found" grep -q "s: 'three' sticks out" measured
    check "a narrow column is found" grep -q "'more than twenty letters.* px wide" <(tr '\n' ' ' <measured)
    check "a wide page is found" grep -q '^faults.html.390.*	the page is 500 px wide' measured
    check "text alone is no fault" test "$(grep -c alone measured)" -eq 0
}

# expect PAGE N: the page has N pictures, all of which can be saved, and no fault.
expect()
{
    local width

    for width in 1280 390; do
        check "$1 at $width px" test "$(grep "^$1.html	$width	" measured)" = \
            "$1.html	$width	$2	$2"
    done
}

pages=
test_measuring
draw_one_set
draw_references
draw_names
draw_networks
measure "$pages"
expect odd 4
expect bridges 4
expect none 3
expect blocks 3
expect dense 3
expect against 4
expect nothing 3
expect single 3
expect names 3
expect unnamed 3
expect networks 5
[ "$n_failed" -eq 0 ] || cut -c 1-400 measured
finish
