#!/usr/bin/env bash
#
# cli_cnn_report.sh - `cnn report`: a page of a model, a table of times and a network;
# tables that it refuses.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

header='net	kernel	type	batch	layers	min_s	median_s	max_s	images_per_s	GFLOPS	gpu_mJ	gpu_mJ_above_idle	gpu_W	gpu_spread_percent	cpu_mJ	cpu_idle_percent	locked_MHz	gpu_MHz'

# row NET KERNEL BATCH LAYERS MEDIAN_S IMAGES_PER_S MJ LOCKED
row()
{
    printf '%s\t%s\ttf32\t%s\t%s\t1\t%s\t2\t%s\t900\t%s\t10\t500\t1.5\tNA\t90\t%s\t1980\n' "$@"
}

# A table of which every chart can be drawn.
table()
{
    printf '# A <GPU>\n%s\n' "$header"
    row alexnet cudnn 8 all 0.01 7000 40.25 NA
    row alexnet cudnn 128 all 0.004 26348 20.5 NA
    row alexnet native 8 all 0.02 4000 60 NA
    row alexnet native 128 all 0.01 13722 30 NA
    row alexnet cudnn 128 convolution 0.003 40000 15 NA
    row alexnet cudnn 128 pooling 0.001 100000 5 NA
    row alexnet cudnn 128 all 0.006 20000 19 900
    row alexnet cudnn 128 all 0.005 23000 20 1200
}

has()
{
    grep -qF -- "$1" page.html
}

count()
{
    grep -o -- "$1" page.html | wc -l
}

test_page()
{
    printf '[net]\ninput = 1x28x28\n[layers]\npool = max 7\nout = linear classes\n' >s.ini
    printf 'loss = softmax\n[solver]\nbatch = 10\nepochs = 2\n' >>s.ini
    printf 'classes = 4\n' | sed -i '/^input/r /dev/stdin' s.ini
    "$RIBOGRID" cnn train s.ini synthetic:40 --test synthetic:20 -q -o m.h5
    table >t.tsv
    check "a page of everything" expect_exit 0 "$RIBOGRID" cnn report m.h5 t.tsv googlenet \
        -o page.html
    check "is silent" silent "$err"
    check "has learning curves" test "$(count '<svg id="loss-1"\|<svg id="accuracy-1"')" -eq 2
    check "... with a point per test" test "$(count 'test images: ')" -eq 4
    check "... and a line through all batches" test \
        "$(grep -A 30 'id="loss-1"' page.html | grep -o 'd="M[0-9].*L.*"' | head -1 | tr 'L' '\n' |
            wc -l)" -eq 8
    check "has the training's numbers" has '<tr><td>m.h5</td><td>40</td><td>10</td><td>2</td>'
    check "has the memory of both networks" test "$(count '<svg id="memory-[12]" class="memory"')" -eq 2
    check "... as they are trained" has 'm.h5: training, batches of 10, fp32, 68 parameters'
    check "has charts over batches and clocks" test \
        "$(count '<svg id="\(clock-\)\?\(rate\|energy\)-1"')" -eq 4
    check "... with a point per measurement" test \
        "$(count 'class="point"[^/]*<title>cudnn tf32: ')" -eq 4
    check "... with the clock's own" has 'cudnn tf32, batch 128: 20 at 1200'
    check "has shares of the kinds" has 'pooling, 1 ms (25.0 %)'
    check "... in energy" has 'convolution, 15 mJ (75.0 %)'
    check "... beside the whole" has '<td>the whole, at once</td><td>4</td><td>100.00</td>'
    check "has numbers as people write them" has '<td>26,348</td>'
    check "leaves out what was not measured" test "$(count 'CPU mJ per image')" -eq 0
    check "escapes the notes" has 'A &lt;GPU&gt;'
    check "loads nothing, and runs one script" test \
        "$(grep -c '<link\|src=\|url(\|@import' page.html) $(count '<script')" = '0 1'
    check "all elements end" "$PYTHON" -c '
import html.parser
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())
page = Page()
page.feed(open("page.html").read())
assert page.open == [], page.open'
}

test_parts()
{
    check "a table alone, without clocks and kinds" expect_exit 0 "$RIBOGRID" cnn report \
        <(table | head -6) --title 'My <title>' -o page.html --force
    check "has its title" has '<h1>My &lt;title&gt;</h1>'
    check "has no training, memory or kinds" test \
        "$(count '<h2>Training\|<h2>Memory\|<h2>Kinds\|clock-')" -eq 0
    "$RIBOGRID" cnn time s.ini --batch 2,4 --device cpu --runs 1 --seconds 0.5 >own.tsv
    { table && cat own.tsv; } >both.tsv
    check "tables that were joined" expect_exit 0 "$RIBOGRID" cnn report both.tsv -o page.html \
        --force
    check "... are both there" test "$(count '<td>tf32</td>\|<td>fp32</td>')" -eq 8
    check "real times" expect_exit 0 "$RIBOGRID" cnn report own.tsv -o page.html --force
    check "... are drawn" test "$(count 'class="point"')" -eq 2
    check "... and their sources named" has 'GPU energy: absent'
}

# Of a training within a limit, predicted beside measured speeds.
test_limit()
{
    local limited=(--batch 24 --device cpu --threads 1)

    export RIBOGRID_CACHE=$PWD/cache
    "$RIBOGRID" cnn train lenet synthetic:96 "${limited[@]}" --epochs 2 --device-memory 8M -q -o l.h5
    check "a training within a limit" expect_exit 0 "$RIBOGRID" cnn report l.h5 -o page.html --force
    check "... was not predicted without rates" grep -qE \
        '<td>l.h5</td><td>8M</td><td>&ndash;</td><td>[0-9.,]+</td><td>&ndash;' page.html
    "$RIBOGRID" cnn time lenet "${limited[@]}" --runs 1 --seconds 0.5 --kinds -o rates.tsv
    "$RIBOGRID" cnn train lenet synthetic:96 "${limited[@]}" --epochs 2 --device-memory 8M -q \
        --force -o l.h5
    check "rates that are kept" expect_exit 0 "$RIBOGRID" report l.h5 -o page.html --force
    check "... are predicted from" grep -qE \
        '<td>l.h5</td><td>8M</td><td>[0-9.,]+</td><td>[0-9.,]+</td><td>[0-9.]+</td>' page.html
    check "a training without a limit has no such table" test \
        "$("$RIBOGRID" report m.h5 | grep -c 'id="limits"')" = 0
}

test_refusals()
{
    local report=("$RIBOGRID" cnn report)

    check "an existing page" refused 1 'exists' "${report[@]}" t.tsv -o page.html
    check "a page that is an input" refused 2 'input' "${report[@]}" t.tsv -o t.tsv --force
    check "no file" refused 2 'give' "${report[@]}" -o x.html
    check "a missing file" refused 1 'neither a file nor a shipped network' "${report[@]}" \
        none.tsv -o x.html
    table | sed 's/\t40.25\t/\tmany\t/' >bad.tsv
    check "a word for a number" refused 1 "bad.tsv:3: gpu_mJ is 'many'; give a number or NA" \
        "${report[@]}" bad.tsv -o x.html
    table | sed '4s/\t1980$//' >bad.tsv
    check "a cut line" refused 1 'bad.tsv:4: 17 columns, but the header has 18' "${report[@]}" \
        bad.tsv -o x.html
    table | sed 's/median_s/mean_s/' >bad.tsv
    check "a missing column" refused 1 "bad.tsv:2: there is no column 'median_s'" \
        "${report[@]}" bad.tsv -o x.html
    table | sed '5s/\t4000\t/\t0\t/' >bad.tsv
    check "no images per second" refused 1 'bad.tsv:5: .* must be above 0' "${report[@]}" \
        bad.tsv -o x.html
    echo '# nothing' >bad.tsv
    check "notes alone" refused 1 'the header is missing' "${report[@]}" bad.tsv -o x.html
    head -c 3000 m.h5 >cut.h5
    check "a cut model" refused 1 'cut.h5' "${report[@]}" cut.h5 -o x.html
    check "nothing is left" absent x.html
}

test_page
test_parts
test_limit
test_refusals
finish
