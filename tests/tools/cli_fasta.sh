#!/usr/bin/env bash
#
# cli_fasta.sh - unusual inputs of `ribogrid align`: which are accepted, which are refused, and
# with which messages.
. "$(dirname "$0")/../support/shell_test.sh"
corpus=$here/io/seq/corpus

# accepts N FILE OPTION...: N sequences are read without a message.
accepts()
{
    local n=$1

    shift
    expect_exit 0 "$RIBOGRID" align "$@" -q --force -o x.h5 && silent "$err" || return 1
    [ "$(field sequences x.h5)" = "$n" ] && return
    echo "$(field sequences x.h5) sequences, not $n"
    return 1
}

# warns N REGEX FILE OPTION...: N sequences are read with a warning.
warns()
{
    local n=$1 regex=$2

    shift 2
    accepts "$n" "$@" && expect_exit 0 "$RIBOGRID" align "$@" --force -o x.h5 && grep \
        -Eq "warning: $regex" "$err"
}

# says_once REGEX FILE OPTION...: exactly one line on stderr matches.
says_once()
{
    local regex=$1

    shift
    expect_exit 0 "$RIBOGRID" align "$@" --force -o x.h5 || return 1
    [ "$(grep -Ec "$regex" "$err")" -eq 1 ] || { cat "$err" && false; }
}

# refuses REGEX FILE OPTION...: the input is refused, and no file is left.
refuses()
{
    local regex=$1

    shift
    rm -f n.h5
    refused 1 "$regex" "$RIBOGRID" align "$@" -o n.h5 && absent n.h5 n.h5.part n.h5.tmp-*
}

test_accepted()
{
    check "CRLF is accepted" accepts 2 "$corpus/crlf.fa"
    check "CR alone is accepted" accepts 2 "$corpus/lone_cr.fa"
    check "a byte order mark is accepted" accepts 1 "$corpus/byte_order_mark.fa"
    check "blank lines are accepted" accepts 1 "$corpus/blank_lines.fa"
    check "blanks within sequences are accepted" accepts 1 "$corpus/blanks_in_sequence.fa"
    check "wrapped lines are accepted" accepts 2 "$corpus/wrapped_lines.fa"
    check "a missing final newline is accepted" accepts 1 "$corpus/no_final_newline.fa"
    check "every IUPAC code is accepted" accepts 1 "$corpus/all_iupac_codes.fa"
    check "a Latin-1 name is escaped with a warning" \
        warns 1 '.*:1: record 1: its name is not UTF-8' "$corpus/latin1_name.fa"
    check "so is a control character in a name" \
        warns 1 ".*:1: record 1: .*it becomes 'a.x1b.1m'" "$corpus/control_in_header.fa"
    check "a name in UTF-8 is accepted" accepts 1 "$corpus/utf8_name.fa"
    check "gzip with one member is accepted" accepts 1 "$corpus/one_member.fa.gz"
    check "gzip with two members is accepted" accepts 2 "$corpus/two_members.fa.gz"
    check "an empty file is accepted with a warning" \
        warns 0 '.*holds no sequence' "$corpus/empty.fa"
    check "a file of blanks is accepted with a warning" \
        warns 0 '.*holds no sequence' "$corpus/only_blanks.fa"
    gzip -c "$corpus/empty.fa" >empty.fa.gz
    check "an empty gzip file is accepted with a warning" \
        warns 0 '.*holds no sequence' empty.fa.gz
    check "repeated names are accepted with a warning" \
        warns 4 '.*have a name that occurred before' \
        "$corpus/same_names.fa"
    check "FASTQ is accepted" accepts 1 "$corpus/reads.fq"
    check "that qualities are dropped is said once" \
        says_once 'reads.fq: FASTQ; qualities are dropped' "$corpus/reads.fq"
    check "--degap accepts gaps" accepts 2 "$corpus/aligned.fa" --degap
}

# test_packed PROGRAM FORMAT: an input that PROGRAM has compressed
test_packed()
{
    local program=$1 format=$2

    if ! "$RIBOGRID" --version | grep -q "^inputs .*$format (" || ! command -v "$program" >/dev/null; then
        echo "skipped: $format (not in this build, or no $program)"
        return
    fi
    "$program" -c "$corpus/two_records.fa" >"packed.$program" 2>/dev/null
    "$program" -c "$corpus/wrapped_lines.fa" >>"packed.$program" 2>/dev/null
    check "$format is accepted" accepts 4 "packed.$program"
    # shellcheck disable=SC2002  # the pipe is what is tested
    cat "packed.$program" | check "$format on stdin is accepted" accepts 4 -
    head -c 40 "packed.$program" >"cut.$program"
    check "cut $format is refused" refuses "unexpected end of the $format data" "cut.$program"
    printf 'r%d\tA;B\n' 1 2 | "$program" -c >lineages 2>/dev/null
    check "a table of $format is read" expect_exit 0 "$RIBOGRID" taxonomy pairs.h5 \
        --taxonomy lineages --allow-missing
}

test_refused()
{
    check "FASTQ of several lines is refused" refuses \
        ":3: record 1 'r1': a line that begins with '\\+' has to follow.*'seqtk seq FILE'" \
        "$corpus/wrapped.fq"
    check "cut FASTQ is refused" refuses ":7: record 2 'r2': the file ends within" \
        "$corpus/cut.fq"
    check "cut or unknown zstd is refused" \
        refuses 'end of the zstd data|zstd data, not FASTA; use .zstd -d' \
        "$corpus/zstd_magic.fa.zst"
    check "a zip archive is refused" refuses 'zip archive, not FASTA; use .unzip' \
        "$corpus/zip_magic.qza"
    check "a truncated gzip file is refused" refuses 'unexpected end of the gzip data' \
        "$corpus/cut.fa.gz"
    check "a gzip file with a wrong checksum is refused" refuses 'gzip data are damaged' \
        "$corpus/bad_crc.fa.gz"
    check "a file compressed twice is refused" \
        refuses 'compressed twice' "$corpus/twice.fa.gz"
    check "a NUL byte is refused" refuses 'binary data' "$corpus/nul_byte.fa"
    check "protein is refused as DNA" refuses "looks like protein; give --alphabet protein" \
        "$corpus/protein.fa" --alphabet dna
    check "a byte that is not a letter is refused" \
        refuses ':4: record 2 .b.: .l. is not a nucleotide letter' \
        "$corpus/bad_letter.fa"
    check "a record without bases is refused" refuses \
        ':1: record 1 .a. has no bases.*--skip-bad' "$corpus/no_letters.fa"
    check "a record without a name is refused" refuses ':1: record 1 has no name' \
        "$corpus/no_name.fa"
    check "a header within a line is refused" refuses "'>' is not a nucleotide letter" \
        "$corpus/header_in_line.fa"
    check "a file without header is refused" \
        refuses ':1: text before the first header' "$corpus/no_header.fa"
    check "text before the header is refused" refuses \
        ':1: text before the first header.*--skip-bad' "$corpus/text_before_header.fa"
    check "an old-style comment is refused" \
        refuses 'old-style comment' "$corpus/semicolon_comment.fa"
    check "gaps are refused" refuses "'-' is a gap.*--degap" "$corpus/aligned.fa"
    check "a record of gaps is refused with --degap" refuses 'record 1 .a. has no bases' \
        "$corpus/only_gaps.fa" --degap
    head -c 30000 /dev/zero >zeros
    check "zeros are refused" refuses 'binary data' zeros
    head -c 30000 "$RIBOGRID" >program
    check "a program is refused" refuses 'binary data' program
    "$RIBOGRID" align "$corpus/two_records.fa" -q -o result.h5
    check "a result file is refused" refuses 'HDF5 file, not FASTA' result.h5
    printf '\xff\xfe>\0a\0\n\0A\0' >utf16.fa
    check "UTF-16 is refused" refuses 'UTF-16 text, not FASTA; use .iconv' utf16.fa
    tar -cf archive.tar -C "$corpus" two_records.fa
    check "a tar archive is refused" refuses 'tar archive, not FASTA; use .tar' archive.tar
    echo '<html>' >page.fa
    check "a web page is refused" refuses 'web page' page.fa
    if [ "$(id -u)" -ne 0 ]; then
        cp "$corpus/two_records.fa" secret.fa
        chmod 0 secret.fa
        check "a file without read permission is refused" \
            refuses 'Permission denied' secret.fa
    fi
}

# refuses_piped REGEX FILE: the file is refused on stdin.
refuses_piped()
{
    # shellcheck disable=SC2002  # the pipe is what is tested
    cat "$2" | expect_exit 1 "$RIBOGRID" align - -q -o n.h5 && expect_line "$1" "$err" \
        && absent n.h5 n.h5.part
}

test_stdin()
{
    check "malformed FASTQ on stdin is refused" \
        refuses_piped "stdin:4: record 1 'r1': 3 qualities for 4 bases" \
        "$corpus/few_qualities.fq"
    check "truncated gzip on stdin is refused" \
        refuses_piped 'stdin: unexpected end' "$corpus/cut.fa.gz"
    check "closed stdin is refused" refused 1 'cannot read stdin' bash -c \
        "exec '$RIBOGRID' align - -o n.h5 <&-"
}

test_skip_bad()
{
    {
        echo 'a remark'
        printf \
            '>good_1\nACGTACGT\n>bad_letter\nACG!ACGT\n>bad_empty\n\n>\nACGT\n>good_2\nACGTACGT\n'
    } >some_bad.fa
    check "bad records are refused without --skip-bad" \
        refuses ':1: text before the first header' \
        some_bad.fa
    check "--skip-bad drops three of five" warns 2 \
        '.*: 3 of 5 records dropped, the first in line 5: record 2 .bad_letter.' \
        some_bad.fa --skip-bad
    check "the good records are aligned" test \
        "$("$RIBOGRID" view --no-header x.h5 | cut -f 1-4 | tr '\t' ' ')" \
        = 'good_1 good_2 32 8'
    check "--skip-bad refuses a file of bad records" refuses 'all 1 records are invalid' \
        "$corpus/protein.fa" --skip-bad --alphabet dna
    check "--skip-bad does not accept gaps" refuses '--degap' "$corpus/aligned.fa" \
        --skip-bad
    check "--skip-bad does not accept binary data" refuses 'binary' \
        "$corpus/nul_byte.fa" --skip-bad
    check "--skip-bad keeps good records" accepts 2 "$corpus/two_records.fa" --skip-bad
}

# accepts_or_refuses FILE: a file of another project is read, or refused with one line.
accepts_or_refuses()
{
    timeout 60 "$RIBOGRID" align "$1" -q --force -o x.h5 >"$out" 2>"$err"
    case $? in
    0) silent "$err" ;;
    1) expect_line '^ribogrid: ' "$err" ;;
    *) cat "$err" && false ;;
    esac
}

test_real()
{
    local file n=0

    if [ ! -d "${RIBOGRID_DATA:-}/fasta" ]; then
        echo "RIBOGRID_DATA is missing: files of other projects are not tested"
        return
    fi
    for file in "$RIBOGRID_DATA"/fasta/*; do
        [ "$(stat -L -c %s "$file")" -lt 50000 ] || continue
        check "$(basename "$file"): no surprise" accepts_or_refuses "$file"
        n=$((n + 1))
    done
    check "some files of other projects were tested" test $n -gt 0
    file=$RIBOGRID_DATA/16s/mock-3.fasta
    [ -e "$file" ] || return
    awk '/^>/ { n++ } n <= 20' "$file" >twenty.fa
    check "20 real genes are accepted" accepts 20 twenty.fa
    check "no identity is above 1" test \
        "$("$RIBOGRID" view --no-header x.h5 | awk -F '\t' '$4 > $5 || $6 > 1' | wc -l)" -eq 0
}

# A sequence of 100 MB takes less than 1 MB compressed.
test_max_input()
{
    local bomb

    { echo '>a' && head -c 20000000 /dev/zero | tr '\0' A; } >bomb.fa
    for bomb in gzip bzip2 xz zstd; do
        command -v $bomb >/dev/null || continue
        "$RIBOGRID" --version | grep -q "$bomb" || continue
        $bomb -1 -c bomb.fa >"bomb.fa.$bomb"
        check "a bomb of $bomb is refused" refused 1 \
            "bomb.fa.$bomb: holds more than --max-input, 1 MiB" \
            "$RIBOGRID" align "bomb.fa.$bomb" -o b.h5 --max-input 1M
    done
    rm -f bomb.fa
    check "a file within the limit is read" expect_exit 0 "$RIBOGRID" align \
        "$corpus/two_records.fa" -q -o within.h5 --max-input 1M
}

test_accepted
test_max_input
"$RIBOGRID" align "$corpus/two_records.fa" --against "$corpus/two_records.fa" -q -o pairs.h5
test_packed bzip2 bzip2
test_packed xz xz
test_packed zstd zstd
test_refused
test_stdin
test_skip_bad
test_real
finish
