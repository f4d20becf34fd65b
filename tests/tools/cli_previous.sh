#!/usr/bin/env bash
#
# cli_previous.sh - `cluster --previous OLD.groups.h5` keeps the names of OTUs from day to day,
# by the rule of docs/growing.md, in all files and exports, and clusters as a fresh run does.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
data=${RIBOGRID_DATA:-/nowhere}/16s

# follows_rule [OLD NEW FRESH CHANGES]...: names of NEW.groups.h5 and the table of changes are those
# that counting shared sequences gives; FRESH (or "-"): has the same partition.
cat >rule.py <<'TEXT'
import collections, csv, sys
import h5py

class Groups:
    def __init__(self, path):
        with h5py.File(path) as f:
            self.otu = f["sequences/otu"][:].tolist()
            self.names = f["otus/names"].asstr()[:].tolist()
            self.size = f["otus/size"][:].tolist()
            self.last = int(f.attrs["last_number"])
        self.sets = [set() for _ in self.names]
        for i, k in enumerate(self.otu):
            if k >= 0:
                self.sets[k].add(i)

def check(old, new, fresh, changes):
    old, new = Groups(old), Groups(new)
    if fresh != "-":
        assert Groups(fresh).otu == new.otu, "not the partition of a fresh run"
    origin, heir = {}, {}
    for o, members in enumerate(old.sets):
        shared = [len(members & s) for s in new.sets] + [0]
        if max(shared) > 0:
            heir[o] = shared.index(max(shared))
            origin.setdefault(heir[o], o)
    last = old.last
    for c, name in enumerate(new.names):
        if c in origin:
            assert name == old.names[origin[c]], (name, old.names[origin[c]])
        else:
            last += 1
            assert int(name[3:]) == last and name[3:] == str(last), name
    assert new.last == last and len(set(new.names)) == len(new.names)
    names = lambda groups, those: ",".join(sorted(groups.names[k] for k in those)) or "NA"
    want = []
    for c, members in enumerate(new.sets):
        o = origin.get(c)
        before = old.sets[o] if o is not None else set()
        gained = {old.otu[i] for i in members if i < len(old.otu)} - {o, -1}
        lost = {new.otu[i] for i in before} - {c, -1}
        change = ("new" if o is None else "split" if before - members else
                  "joined" if gained else
                  "grew" if members - before or new.size[c] > old.size[o] else "unchanged")
        want.append([new.names[c], change, len(members), len(before), new.size[c],
                     old.size[o] if o is not None else 0, names(old, gained),
                     names(new, lost)])
    for o, members in enumerate(old.sets):
        if o not in heir or origin[heir[o]] != o:
            there = {new.otu[i] for i in members} - {-1}
            want.append([old.names[o], "retired", 0, len(members), 0, old.size[o], "NA",
                         names(new, there)])
    with open(changes) as f:
        rows = list(csv.reader(f, delimiter="\t"))
    assert rows[0] == "otu change sequences previous_sequences abundance previous_abundance " \
                      "from to".split()
    got = [r[:6] + [",".join(sorted(x.split(","))) for x in r[6:]] for r in rows[1:]]
    assert got == [[str(x) for x in r] for r in want], \
        [x for x in zip(got, want) if x[0] != x[1]]
    print(*(f"{n} {k}" for k, n in sorted(collections.Counter(r[1] for r in want).items())))

for k in range(1, len(sys.argv), 4):
    check(*sys.argv[k:k + 4])
TEXT

follows_rule()
{
    "$PYTHON" rule.py "$@" >>counts.txt
}

# has_change WORD: an OTU of any day so far.
has_change()
{
    grep -q " $1" counts.txt
}

# make_days FILE: three days of its records, of which some occur again on later days.
make_days()
{
    awk '/^>/ { n++ }
         { day = n % 3 + 1; print >("day" day ".fa")
           if (day < 3 && n % 5 == 0) print >("day" day + 1 ".fa") }' "$1"
    "$RIBOGRID" align day1.fa --derep -q --force -o 1.h5 &&
        "$RIBOGRID" align day2.fa --extend 1.h5 -q --force -o 2.h5 &&
        "$RIBOGRID" align day3.fa --extend 2.h5 -q --force -o 3.h5
}

# follow METHOD [OPTION]...: cluster day after day; all names are by the rule.
follow()
{
    local method=$1 day fresh rules=()

    shift
    "$RIBOGRID" cluster 1.h5 --method "$method" "$@" -q --force -o 1 || return
    for day in 2 3; do
        expect_exit 0 "$RIBOGRID" cluster $day.h5 --method "$method" "$@" --force -o $day \
            --previous $((day - 1)).groups.h5 --changes $day.tsv || return
        cp "$err" $day.err
        "$RIBOGRID" cluster $day.h5 --method "$method" "$@" --force -o fresh$day 2>fresh.err
        fresh=fresh$day.groups.h5
        [ "$method" != opti ] || fresh=-
        rules+=($((day - 1)).groups.h5 $day.groups.h5 $fresh $day.tsv)
    done
    follows_rule "${rules[@]}"
}

# opti_is_compared: both MCC are those of the two runs' last lines.
opti_is_compared()
{
    local ours fresh

    ours=$(sed -n 's/.*sequences: .*; MCC \([^ ]*\) .*/\1/p' 3.err)
    fresh=$(sed -n 's/.*sequences: .*; MCC \([^ ]*\) .*/\1/p' fresh.err)
    [ -n "$ours" ] && grep -q "MCC $ours from the previous OTUs, $fresh by a fresh run$" 3.err
}

test_days()
{
    local method

    "$RIBOGRID" simulate 240 --length 100 --divergence 6 --seed 5 -q -o all.fa
    check "three days" make_days all.fa
    for method in single complete average opti "centroid --order length" centroid \
        "average --min-size 2" "opti --starts 2 --seed 3 --min-size 3"; do
        # shellcheck disable=SC2086 # several options
        check "names by $method" follow $method --id 0.95
        [ "$method" != opti ] || check "the MCC of both runs" opti_is_compared
    done
    for method in unchanged grew joined split retired new; do
        check "some OTUs are $method" has_change $method
    done
    check "what is printed is counted" grep -Eq \
        '^ribogrid: 2.groups.h5: [0-9]+ OTUs: [0-9]+ unchanged, [0-9]+ grew, ' 3.err
    "$RIBOGRID" cluster 1.h5 --method average --id 0.95 -q --force -o 1
    check "nothing new" expect_exit 0 "$RIBOGRID" cluster 1.h5 --method average --id 0.95 \
        --previous 1.groups.h5 --changes same.tsv -o same
    check "keeps all names" same 1.otus.tsv same.otus.tsv
    check "and nothing changes" test "$(sed 1d same.tsv | cut -f 2 | sort -u)" = unchanged
    check "--changes to stdout" expect_exit 0 "$RIBOGRID" cluster 1.h5 --method average \
        --id 0.95 --previous 1.groups.h5 --changes - --force -o same
    check "is the table" same same.tsv "$out"
}

# The names are those of the groups file wherever names are.
test_names()
{
    local format

    check "an OTU is retired and others are new" follow average --id 0.95
    "$PYTHON" -c 'import h5py
with h5py.File("3.groups.h5") as f:
    print(*f["otus/names"].asstr()[:], sep="\n")' >names.txt
    check "which are in another order" eval '! sort -c names.txt'
    check "in the table" same names.txt <(sed 1d 3.otus.tsv | cut -f 1)
    check "in the list" same names.txt <(head -1 3.list | tr '\t' '\n' | sed 1,2d)
    check "of the representatives" same names.txt <(sed -n 's/^>\([^ ]*\) .*/\1/p' 3.reps.fasta)
    check "in BIOM" "$PYTHON" -c 'import h5py
with h5py.File("3.biom") as f:
    assert f["observation/ids"].asstr()[:].tolist() == open("names.txt").read().split()'
    for format in otutab fasta shared otumap biom-json; do
        "$RIBOGRID" export 3.h5 --groups 3.groups.h5 --format $format --force -o out.$format
    done
    check "export: the table" same 3.otus.tsv out.otutab
    check "export: representatives" same 3.reps.fasta out.fasta
    check "export: mothur's table" same names.txt \
        <(head -1 out.shared | tr '\t' '\n' | sed 1,3d)
    check "export: BIOM 1.0" same names.txt <(grep -o '"id": *"Otu[0-9]*"' out.biom-json |
        grep -o 'Otu[0-9]*')
    "$RIBOGRID" view 3.groups.h5 | sed 1d | cut -f 2 | sort -u >viewed.txt
    check "view" same <(sort names.txt) viewed.txt
    check "the records" same viewed.txt <(cut -f 2 out.otumap | sort -u)
    "$RIBOGRID" report 3.groups.h5 --force -o page.html
    check "the page" grep -q "$(sed -n 2p names.txt)" page.html
    check "info" eval '"$RIBOGRID" info 3.groups.h5 | grep -qx "otus.previous.2.groups.h5"'
    check "lineages by names" eval 'sed "s/$/\tBacteria;Bacilli/" names.txt >taxa.tsv &&
        "$RIBOGRID" export 3.h5 --groups 3.groups.h5 --format constaxonomy --taxonomy taxa.tsv \
            -o taxa.out'
    check "of each OTU" test "$(grep -c 'Bacteria;Bacilli;' taxa.out)" -eq "$(wc -l <names.txt)"
}

# conflict CODE REGEX OPTION...: refused, and nothing is written.
conflict()
{
    local code=$1 regex=$2

    shift 2
    refused "$code" "$regex" "$RIBOGRID" cluster "$@" -q -o no && absent no.groups.h5 no.tsv
}

test_conflicts()
{
    local ours=(2.h5 --id 0.95 --method average)

    check "another identity" conflict 1 '1.groups.h5: its OTUs are by average at 0.95; give' \
        2.h5 --id 0.9 --method average --previous 1.groups.h5
    check "another method" conflict 1 'its OTUs are by average at 0.95; give the same --method' \
        2.h5 --id 0.95 --previous 1.groups.h5
    "$RIBOGRID" cluster 1.h5 --id 0.95 --method centroid --order length -q -o order
    check "another order" conflict 1 'by centroid, in the order of length at 0.95; give' \
        2.h5 --id 0.95 --method centroid --previous order.groups.h5
    check "several identities" conflict 2 '--previous is a file of one identity' \
        2.h5 --id 0.95,0.9 --method average --previous 1.groups.h5
    check "references" conflict 2 'closed have the names of references' \
        2.h5 --id 0.95 --method closed --previous 1.groups.h5
    check "changes of what" conflict 2 '--changes requires --previous' "${ours[@]}" \
        --changes no.tsv
    check "its own output" refused 2 'is an input of this command .--previous 1.groups.h5' \
        "$RIBOGRID" cluster "${ours[@]}" --previous 1.groups.h5 --force -o ./1
    check "changes instead of it" refused 2 'is an input of this command' "$RIBOGRID" cluster \
        "${ours[@]}" --previous 1.groups.h5 --changes 1.groups.h5 --force -o no
    check "no file" conflict 1 'none.h5: cannot open it' "${ours[@]}" --previous none.h5
    check "pairs" conflict 1 '1.h5: an HDF5 file, but not the groups of a clustering' \
        "${ours[@]}" --previous 1.h5
    check "later groups" conflict 1 '3.groups.h5: these are OTUs of [0-9]* sequences, but 2.h5 ' \
        "${ours[@]}" --previous 3.groups.h5
    "$RIBOGRID" align day2.fa day1.fa --derep -q -o turned.h5
    check "another order of files" conflict 1 \
        "1.groups.h5: sequence [0-9]* is '.*', but in turned.h5 '.*'; make .*--extend" \
        turned.h5 --id 0.95 --method average --previous 1.groups.h5
    awk '/^>/ { n++ } n == 3 && !/^>/ && !done { sub("A", "C"); done = 1 } 1' day1.fa >other.fa
    "$RIBOGRID" align other.fa --derep -q -o other.h5
    check "other bases" conflict 1 'have the names of those in other.h5, but other bases' \
        other.h5 --id 0.95 --method average --previous 1.groups.h5
    cp 1.groups.h5 spoilt.h5
    "$PYTHON" -c 'import h5py
with h5py.File("spoilt.h5", "r+") as f:
    del f.attrs["digest"]'
    check "no digest" conflict 1 'spoilt.h5: it has no digest .*; cluster its pairs again' \
        "${ours[@]}" --previous spoilt.h5
    "$PYTHON" -c 'import h5py
with h5py.File("spoilt.h5", "r+") as f:
    f.attrs["last_number"] = 3'
    check "names that were not given" conflict 1 'spoilt.h5: the name of OTU 4 is that of an' \
        "${ours[@]}" --previous spoilt.h5
}

# More than 9 OTUs after less than 10: names that are kept are not written anew.
test_digits()
{
    awk '/^>/ { n++ } n <= 5' all.fa >few.fa
    "$RIBOGRID" align few.fa -q -o few.h5
    awk '/^>/ { n++ } n > 5' all.fa >rest.fa
    "$RIBOGRID" align rest.fa --extend few.h5 -q -o many.h5
    "$RIBOGRID" cluster few.h5 --id 1 --method single -q -o few
    check "a clustering of few" grep -q '^Otu[1-9]	' few.otus.tsv
    check "then of many" expect_exit 0 "$RIBOGRID" cluster many.h5 --id 1 --method single \
        --previous few.groups.h5 --changes many.tsv -o many
    check "by the rule" follows_rule few.groups.h5 many.groups.h5 - many.tsv
    check "names are not rewritten" grep -q '^Otu1	' many.otus.tsv
    check "new ones are longer" grep -q '^Otu1[0-9][0-9]	' many.otus.tsv
    : >none.fa
    "$RIBOGRID" align none.fa -q -o none.h5
    "$RIBOGRID" cluster none.h5 --id 0.95 --method single -q -o none
    "$RIBOGRID" align few.fa --extend none.h5 -q -o first.h5
    check "after no sequence" expect_exit 0 "$RIBOGRID" cluster first.h5 --id 0.95 \
        --method single --previous none.groups.h5 -o first
    "$RIBOGRID" cluster first.h5 --id 0.95 --method single -q -o alone
    check "names are those of a first run" same alone.otus.tsv first.otus.tsv
}

# Real genes.
test_real()
{
    local genes=$data/rdp_testDMtrain.fasta.gz method

    [ -r "$genes" ] || { echo "without data: no real genes"; return; }
    gzip -dc "$genes" | awk '/^>/ { n++ } n <= 90' >rdp.fa
    check "three days of real genes" make_days rdp.fa
    for method in average opti; do
        check "names by $method" follow $method --id 0.9
    done
}

test_days
test_names
test_conflicts
test_digits
test_real
finish
