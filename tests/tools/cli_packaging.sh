#!/usr/bin/env bash
#
# cli_packaging.sh - what packaging/ says is true of the program: versions and libraries of
# the recipe for conda, the scripts of Nextflow's modules, and Snakemake's wrappers.
. "$(dirname "$0")/../support/shell_test.sh"
root=$(cd "$here/.." && pwd)
packaging=$root/packaging
PATH=$(dirname "$RIBOGRID"):$PATH

# ---- conda ----

version=$("$RIBOGRID" --version | sed -n '1s/ribogrid //p')
check "the recipe has the version of the program" \
    grep -q "set version = \"$version\"" "$packaging/bioconda/meta.yaml"
for file in "$packaging"/*/*/environment.y*ml; do
    check "${file#"$root/"} installs that version" grep -qx "  - ribogrid =${version%.*}" "$file"
done
sed -n '/# linked/,/# tests/s/^  - //p' "$root/environment.yml" | sort >linked
sed -n '/^  host:/,/^  run:/s/^    - //p' "$packaging/bioconda/meta.yaml" | sort >host
check "the recipe links what environment.yml names" cmp linked host
check "environment.yml names libraries" test -s linked
for option in $(grep -oh 'DRIBOGRID_[A-Z]*' "$packaging/bioconda/build.sh" \
    "$packaging/Dockerfile" "$packaging/apptainer.def" | sort -u); do
    check "CMake knows -$option" \
        grep -rqE "(option|set)\(${option#D}\b" "$root/CMakeLists.txt" "$root/cmake"
done

# ---- containers ----

# Libraries that quickstart installs for a build; OpenBLAS is loaded at run time only.
libraries_in()
{
    grep -ohE '\b(lib[a-z0-9]+|zlib1g)-dev\b' "$1" | grep -v openblas | sort -u
}

sed -n '/^find_missing/,/= nightly/p' "$root/quickstart" >found.txt
libraries_in found.txt >wanted
check "quickstart names libraries" test "$(wc -l <wanted)" -ge 8
for file in Dockerfile apptainer.def; do
    check "$file builds with the libraries of quickstart" cmp wanted <(libraries_in "$packaging/$file")
done
# The shell that runs them is Debian's sh.
sed -e :a -e '/\\$/N; s/\\\n//; ta' "$packaging/Dockerfile" | sed -n 's/^RUN //p' >run.sh
check "commands of the Dockerfile are found" test "$(wc -l <run.sh)" -eq 4
check "they parse" sh -n run.sh
sed -n '/^%post/,/^%runscript/p' "$packaging/apptainer.def" | sed '1d;$d' >post.sh
check "... and those of apptainer.def" sh -n post.sh
if command -v shellcheck >found; then
    check "shellcheck finds nothing in them" expect_exit 0 shellcheck -s sh run.sh
fi
instructions='ARG FROM ENV RUN COPY WORKDIR ENTRYPOINT CMD'
check "the Dockerfile has known instructions only" test -z "$(sed -e :a \
    -e '/\\$/N; s/\\\n//; ta' "$packaging/Dockerfile" | grep -vE "^(#|$|(${instructions// /|}) )")"

# ---- Nextflow ----

# script MODULE NAME=VALUE...: print its script as Nextflow would write it
script()
{
    local text value

    text=$(awk '/^    script:/ { on = 1 } on && /"""/ { n++; next } on && n == 1' \
        "$packaging/nextflow/$1/main.nf")
    for value in "${@:2}"; do
        text=${text//"\${${value%%=*}}"/${value#*=}}
    done
    printf '%s\n' "$text" | sed 's/^    //; s/\\\$/$/g'
}

"$RIBOGRID" simulate 12 --length 300 --divergence 2 --seed 4 -o reads.fasta
script align reads=reads.fasta against= 'args=--id 0.9' task.cpus=1 prefix=s \
    task.process=ALIGN >align.sh
check "the script of align runs" expect_exit 0 bash -eu align.sh
script cluster pairs=s.h5 'args=--id 0.97' task.cpus=1 prefix=s task.process=CLUSTER \
    >cluster.sh
check "the script of cluster runs" expect_exit 0 bash -eu cluster.sh
check "versions.yml has the version" grep -q "ribogrid: $version" versions.yml
# shellcheck disable=SC2016 # Nextflow's variables
for file in $(sed -n 's/.*path("\*\([a-z.]*\)").*/s\1/p' "$packaging"/nextflow/*/main.nf); do
    check "the scripts write *${file#s}" test -s "$file"
done

# ---- Snakemake ----

mkdir snakes
cp reads.fasta snakes
if command -v snakemake >found; then
    check "Snakemake runs its wrappers" expect_exit 0 env HOME="$tmp" timeout -k 5 300 \
        snakemake --cores 1 --nolock -d snakes -s "$packaging/snakemake/test/Snakefile" \
        --wrapper-prefix "file://$packaging/snakemake/"
    check "their OTUs are those of the program" cmp s.otus.tsv snakes/otus.otus.tsv
    check "... also those of unnamed outputs" cmp s.otus.tsv "snakes/all of/them.otus.tsv"
else
    echo "without snakemake: its wrappers are not run"
fi
finish
