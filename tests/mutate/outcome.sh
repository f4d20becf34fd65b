# outcome.sh - how a run of the program on a mutant is judged.
#
# A fault is one of: signal, hang, report (of a sanitizer, in our code), noise (an error
# without its one line), wrong (a success with impossible output), output (too much),
# memory, leak (of another file's content), left (a process, or output of a run that
# failed); in mutate.sh also touched (another file changed), valid (a valid file refused),
# unmade.
# shellcheck shell=bash disable=SC2154 # variables of mutate.sh

# our_report FILE...: print the first error of sanitizers that is ours: the code at fault
# is, or the owner of the memory that HDF5 overran.
our_report()
{
    local lib='libhdf5|libsz|libaec|libz|libc[.]|libasan|libubsan|sanitizer|ld-linux'

    lib+='| [.][.]/(sysdeps|string|csu|nptl)/' # libc with its symbols
    awk -v lib="$lib" '
        function finish() {
            if (what != "" && ours) { print what; exit }
            what = ""
        }
        function begin() { finish(); what = $0; ours = found = 0 }
        /ERROR: AddressSanitizer/ || /^(Direct|Indirect) leak/ { begin() }
        /runtime error:/ { begin(); ours = 1 }
        / located .* region|allocated by thread/ { found = 0 } # whose memory is it?
        /^ *#[0-9]+ / && what != "" && !found {
            if (/ in H5|libhdf5|libsz|libaec/) found = 1 # HDF5, static or not
            else if ($0 !~ lib) ours = found = 1
        }
        END { finish() }' "$@"
}

# odd_rows COMMAND FILE: print the first row of a table that no valid file has.
odd_rows()
{
    local once=1

    # two sequences of one name make two rows that look the same
    [[ $what =~ name|extents|bytes|bits|word|address ]] && once=0
    case $1 in
    view*)
        awk -F '\t' -v once=$once -v against="$is_against" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            once && seen[$1, $2]++ { print "twice", $0; exit }
            once && !against && $1 == $2 { print "itself", $0; exit }
            !at["identity"] { next }
            { x = $at["identity"] }
            x != "NA" && (x !~ /^[0-9.]+$/ || x > 1) { print "identity", $0; exit }
            $at["matches"] < 0 || $at["matches"] + 0 > $at["columns"] + 0 {
                print "matches", $0; exit
            }' "$2"
        ;;
    blast6) awk -F '\t' '$3 < 0 || $3 > 100 || $4 < 0 { print; exit }' "$2" ;;
    column) awk '$3 < 0 || $3 > 1 { print; exit }' "$2" ;;
    paf)
        awk -F '\t' '
            $3 < 0 || $4 > $2 || $8 < 0 || $9 > $7 || $10 > $11 { print; exit }' "$2"
        ;;
    taxonomy)
        awk -F '\t' 'NR > 1 && ($3 > 1 || $4 < 0 || $4 > $5) { print; exit }' "$2"
        ;;
    esac | cut -c 1-200
}

# odd_matrix FILE: print the first value of a npy file that is no identity.
odd_matrix()
{
    od -A n -v -t f4 -w4 -j 128 "$1" |
        awk '$1 !~ /nan/ && ($1 < 0 || $1 > 1) { print; exit }'
}

# odd_clusters FILE: print the first line of a table of OTUs with a negative count.
odd_clusters()
{
    awk -F '\t' 'NR > 1 { for (i = 2; i <= NF; i++) if ($i ~ /^-/) { print; exit } }' "$1"
}

# odd_success COMMAND: print why the output of a run that succeeded is impossible.
odd_success()
{
    local file row

    [ "$1" != resume_log ] || odd_log
    for file in stdout out/*; do
        row=
        case $file in
        *.npy) row=$(odd_matrix "$file") ;;
        *.otus.tsv) row=$(odd_clusters "$file") ;;
        stdout | out/x."$1") [ -s "$file" ] && row=$(odd_rows "$1" "$file") ;;
        esac
        [ -z "$row" ] || { echo "$file: $row" && return; }
    done
}

# odd_text: print the name of a text that is not UTF-8, or has control characters.
odd_text()
{
    LC_ALL=C.UTF-8 grep -lraxvP -m 1 '[\t\x20-\x7e\x{a0}-\x{10ffff}]*' \
        --exclude='*.npy' --exclude='*.h5' --exclude='*.biom' --exclude='*.part' \
        stderr stdout out
}

# secrets: print the names of texts with the content of another file.
secrets()
{
    case $what in
    *external* | *virtual* | *link*)
        grep -laE 'STRANGERS-SECRET|root:x:0' -r stderr stdout out
        ;;
    *) false ;;
    esac
}

# odd_log: the pairs of a run that went on from a damaged log differ from those of a run
# that was not stopped.
odd_log()
{
    "$RIBOGRID" view out/x.h5 | cmp - ../seeds/log.tsv 2>&1
}

# judge_error: print the class of a run that failed, and the error.
judge_error()
{
    local error files=(out/*)

    # the former goes to stderr, wherever reports go; warnings may come before the error
    mapfile -t error < <(grep -v -e '^AddressSanitizer:DEADLYSIGNAL$' \
        -e '^ribogrid: warning: ' stderr)
    if [ "${#error[@]}" -ne 1 ] || [[ ${error[0]} != "${program##*/}: "* ]]; then
        echo "noise $(head -c 300 stderr | tr '\n' '|')"
    elif [ -e "${files[0]}" ] && [ "${files[*]}" != out/x.h5.part ]; then
        echo "left ${files[*]}"
    elif [[ ${error[0]} == *"File too large"* ||
        ${error[0]} == *"cannot write to stdout"* ]]; then
        echo "output ${error[0]#*: }"
    elif [[ ${error[0]} == *"in a crash"* || ${error[0]} == *"no progress in"* ]]; then
        echo "contained ${error[0]#*: }"
    else
        echo "refused ${error[0]#*: }"
    fi
}

# judge COMMAND: print the class of the run in the current directory, and its cause, from
# $ended, $code, $left, $peak, stdout, stderr, out/ and san.*.
judge()
{
    local reports=(san.*) cause=

    [ -e "${reports[0]}" ] || reports=()
    ! grep -q 'runtime error:' stderr || reports+=(stderr) # of UBSan
    [ "${#reports[@]}" -eq 0 ] || cause=$(our_report "${reports[@]}")
    if [ -n "$cause" ]; then
        echo "report $cause"
    elif [ "$ended" = timeout ]; then
        echo "hang"
    elif [ "$ended" != exit ] || [ "$code" -gt 2 ]; then
        echo "signal $ended $code"
    elif [ "$left" -ne 0 ]; then
        echo "left a process"
    elif [ "$peak" -gt "$MUTATE_MAX_KB" ]; then
        echo "memory $peak kB"
    elif cause=$(secrets); then
        echo "leak in $cause"
    elif cause=$(odd_text); then
        echo "wrong $cause: not UTF-8, or control characters"
    elif [ "$code" -ne 0 ]; then
        judge_error
    else
        cause=$(odd_success "$1")
        [ -z "$cause" ] && echo accepted || echo "wrong $cause"
    fi
}
