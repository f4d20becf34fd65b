#!/usr/bin/env bash
#
# cli_before.sh - how `ribogrid align` prepares records: abundances, filters, strand and
# dereplication, the last compared with vsearch.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

align()
{
    "$RIBOGRID" align "$@" --force -o x.h5
}

# holds TEXT: the sequences, sizes, members and samples of x.h5, in one line.
holds()
{
    "$PYTHON" - "$1" <<'END'
import sys
import h5py

with h5py.File("x.h5") as f:
    got = list(f["sequences/names"].asstr()[:])
    if "sequences/size" in f:
        got += ["size"] + list(f["sequences/size"][:])
    if "members" in f:
        names = f["members/name"].asstr()[:]
        got += ["members"]
        got += [f"{n}:{s}" for n, s in zip(names, f["members/sequence"][:])]
    if "samples" in f:
        s = f["samples"]
        start, names = s["row_start"][:], s["names"].asstr()[:]
        got += ["samples"]
        for i in range(len(start) - 1):
            for k in range(start[i], start[i + 1]):
                got.append(f"{i}:{names[s['sample'][k]]}:{s['count'][k]}")
got = " ".join(map(str, got))
if got != sys.argv[1]:
    sys.exit(f"{got}, not {sys.argv[1]}")
END
}

# makes TEXT OPTION...: align of in.fa with these options makes a file that holds TEXT.
makes()
{
    local text=$1

    shift
    expect_exit 0 align in.fa "$@" && holds "$text"
}

cat >in.fa <<'END'
>a;size=5
ACGTACGTAC
>b
ACGTTTGTAC
>c;size=2;
acguacguac
>d
ACGTACG
>e
ACGTNCGTNC
END
printf 'Representative_Sequence\ttotal\tsoil\tsea\n' >counts
printf 'a;size=5\t3\t1\t2\nb\t1\t1\t0\nc;size=2;\t4\t0\t4\nd\t1\t1\t0\ne\t1\t0\t1\n' >>counts
printf 'a;size=5\tsoil\nb\tsea\t7\nc;size=2;\tsoil\t4\nd\tsea\ne\tsea\n' >samples

check "without options records are kept" \
    makes "a;size=5 b c;size=2; d e"
check "--derep dereplicates" \
    makes "a;size=5 b d e size 2 1 1 1 members a;size=5:0 b:1 c;size=2;:0 d:2 e:3" \
    --derep
check "--derep adds sizes" \
    makes "a b d e size 7 1 1 1 members a:0 b:1 c:0 d:2 e:3" --derep --sizein
check "--sizein keeps sizes" \
    makes "a b c d e size 5 1 2 1 1" --sizein
check "records below --min-length or above --max-ambig are dropped" \
    makes "a b c size 5 1 2" --sizein --min-length 8 --max-ambig 1
check "records above --max-length are dropped" makes "d" --max-length 9
check "a message counts dropped records" \
    grep -q "4 of 5 records dropped, 4 with more than 9" "$err"
check "--count-table sets sizes and samples" \
    makes "a;size=5 b e size 7 1 1 members a;size=5:0 b:1 c;size=2;:0 e:2 samples \
0:soil:1 0:sea:6 1:soil:1 2:sea:1" --derep --count-table counts --min-length 8
check "--samples sets sizes and samples" \
    makes "a;size=5 b d e size 5 7 1 1 members a;size=5:0 b:1 c;size=2;:0 d:2 e:3 \
samples 0:soil:5 1:sea:7 2:sea:1 3:sea:1" --derep --samples samples

# Genes between primers; the last one is the reverse complement of the first.
cat >genes.fa <<'END'
>forward;size=2
TTACGTCAGGTTTTTCAGGGGGTTTTCC
>none;size=4
ACGTACGTACGTACGT
>turned;size=3
GGAAAACCCCCTGAAAAACCTGACGTAA
END
cut() { align genes.fa --primers ACGTCAGG/AAAACCCC --primer-mismatches "$@"; }
between_primers()
{
    expect_exit 0 cut 1 --sizein --derep && holds "forward size 5 members forward:0 turned:0" &&
        grep -q "2 of 3 records have both primers of .*, 1 of them reverse-comp.*; 1 were dropped" \
            "$err"
}
check "what lies between primers is kept, on either strand" between_primers
check "--missing-primers stop names a record without" \
    refused 1 "1 of 3 records lack a primer of .*, the first is 'none;size=4'" \
    cut 1 --missing-primers stop
check "primers without a match are refused" refused 1 "no record has both primers" \
    align genes.fa --primers 515F/806R
check "invalid primers are refused" refused 2 "give two primers as FORWARD/REVERSE" \
    align genes.fa --primers 515F
check "--primer-mismatches without primers is refused" refused 2 "need --primers" \
    align genes.fa --primer-mismatches 1
check "too many mismatches are refused" refused 2 "a third of a primer" cut 3

check "two sources of sizes are refused" \
    refused 2 "give one of them" align in.fa --sizein --samples samples
check "limits that exclude everything are refused" \
    refused 2 "no sequence could pass" align in.fa --min-length 9 --max-length 8
head -3 counts >few
check "a record without a count is refused" \
    refused 1 "few: 3 of 5 records of in.fa have no count here, the first is 'c;size=2;'" \
    "$RIBOGRID" align in.fa --count-table few -o z.h5
check "it leaves no file" absent z.h5 z.h5.part z.h5.tmp-*

printf ' A C G T\nA 4 -5 -5 -5\nC -5 4 -5 -5\nG -5 -5 4 -5\nT -5 -5 -5 4\n' >acgt
check "messages count records as the file has them" \
    refused 1 "in.fa: record 5 'e' has the letter N" \
    "$RIBOGRID" align in.fa --derep --matrix acgt -q -o z.h5

# A finished file with other sizes belongs to another job.
expect_exit 0 "$RIBOGRID" align in.fa --samples samples -o y.h5
sed 's/7$/8/' samples >others
check "--resume with other sizes is refused" \
    refused 1 "y.h5" "$RIBOGRID" align in.fa --samples others --resume -o y.h5
check "--resume with the same sizes is accepted" \
    expect_exit 0 "$RIBOGRID" align in.fa --samples samples --resume -o y.h5

# same_as_vsearch: dereplicate real records with sizes, some of them twice.
same_as_vsearch()
{
    local data=$RIBOGRID_DATA/16s/rdp_Armatimonadetes.fasta.gz

    zcat "$data" | awk '/^>/ { n++; sub(/[ \t].*/, ""); print $0 ";size=" n % 7 + 1; next }
        { print }' >sized.fa
    zcat "$data" | awk '/^>/ { n++; sub(/[ \t].*/, ""); sub(/>/, ">again_")
        keep = n % 3 == 0 } keep { print }' >>sized.fa
    vsearch --derep_fulllength sized.fa --sizein --sizeout --strand plus --minseqlength 1 \
        --fasta_width 0 --output unique.fa --quiet || return 1
    expect_exit 0 align sized.fa --derep --sizein --emit score || return 1
    "$PYTHON" - <<'END'
import h5py

theirs = {}
with open("unique.fa") as f:
    for line in f:
        if line.startswith(">"):
            name, size = line[1:].strip().rsplit(";size=", 1)
        else:
            theirs[line.strip().upper().replace("U", "T")] = (name, int(size))
with h5py.File("x.h5") as f:
    s = f["sequences"]
    offset, letters = s["offset"][:], s["letters"][:].tobytes().decode()
    names, sizes = s["names"].asstr()[:], s["size"][:]
    ours = {letters[offset[i]:offset[i + 1]]: (names[i], int(sizes[i]))
            for i in range(len(names))}
    n_members = len(f["members/name"])
assert ours == theirs, (len(ours), len(theirs))
assert n_members == 107 + 35 and sum(size for _, size in ours.values()) == 15 * 28 + 2 + 3 + 35
print(len(ours), "sequences of", n_members, "records")
END
}
if command -v vsearch >/dev/null && [ -r "${RIBOGRID_DATA:-}/16s/rdp_Armatimonadetes.fasta.gz" ]
then
    check "vsearch dereplicates alike" same_as_vsearch
else
    echo "without vsearch or data: dereplication is not compared with vsearch"
fi

# A count_table that mothur wrote, in its compressed format: x stands for x, u and v (sea 2,
# soil 1), y for y and w.
if command -v mothur >/dev/null; then
    printf '>x\nACGTACGT\n>y\nACGTTTTT\n' >m.fa
    printf 'x\tx,u,v\ny\ty,w\n' >m.names
    printf 'x\tsea\nu\tsea\nv\tsoil\ny\tsoil\nw\tsoil\n' >m.groups
    mothur "#count.seqs(name=m.names, group=m.groups)" >m.log
    check "a count_table of mothur is read" \
        expect_exit 0 align m.fa --count-table m.count_table
    check "it sets sizes and samples" \
        holds "x y size 3 2 samples 0:sea:2 0:soil:1 1:soil:2"
else
    echo "without mothur: a table of mothur is not read"
fi

# Real genes, every third one reverse-complemented.
if [ -r "${RIBOGRID_DATA:-}/16s/rdp_Armatimonadetes.fasta.gz" ]; then
    zcat "$RIBOGRID_DATA/16s/rdp_Armatimonadetes.fasta.gz" | "$PYTHON" -c '
import sys
complement = str.maketrans("acgtrykmbvdhACGTRYKMBVDH", "tgcayrmkvbhdTGCAYRMKVBHD")
for k, record in enumerate(sys.stdin.read().split(">")[1:21]):
    name, _, letters = record.partition("\n")
    letters = letters.replace("\n", "")
    print(">" + name.split()[0])
    print(letters.translate(complement)[::-1] if k % 3 == 1 else letters)' >in.fa
    expect_exit 0 align in.fa --emit score
    check "reverse-complemented genes are counted" \
        grep -q "7 of 20 records look reverse-complemented; use --orient" "$err"
    check "the first of them is named" \
        grep -q "$(sed -n 's/^>//p' in.fa | sed -n 2p), " "$err"
    cp x.h5 asis.h5
    expect_exit 0 align in.fa --against in.fa --strand both
    check "--strand both does not advise --orient" test "$(grep -c orient "$err")" -eq 0
    check "--strand both: they are counted all the same" test \
        "$(field records_reversed x.h5)" -eq 7
    expect_exit 0 align in.fa --emit score --orient
    check "--orient reports the genes that it reverse-complements" \
        grep -q "7 of 20 records were reverse-complemented" "$err"
    check "genes align after --orient, and not before" "$PYTHON" -c '
import h5py
reoriented, asis = (h5py.File(n)["score"][0, 1:] for n in ("x.h5", "asis.h5"))
for k in range(19):
    if k % 3 == 0:
        assert reoriented[k] > 2 * asis[k], (k, reoriented[k], asis[k])
    else:
        assert reoriented[k] == asis[k], (k, reoriented[k], asis[k])'
fi
finish
