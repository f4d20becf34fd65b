#!/usr/bin/env bash
#
# cli_dpc.sh - `ribogrid dpc`: programs are translated, what is refused has its line and a
# reason, and files with nothing to translate stay as they are.  With nvcc the output is
# compiled, without warnings.  By day each program is translated at one level, and one in
# twelve is compiled, to PTX; by night all of them at every level.
. "$(dirname "$0")/../support/shell_test.sh"
programs=$here/tools/dpc/programs
printf '#pragma dp consldt(block) work(a)\n' >none.cu
"$RIBOGRID" dpc none.cu -o none.out.cu 2>no_clang.txt
grep -q 'libclang was not found' no_clang.txt && has_clang=false || has_clang=true
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)

# compile FILE OPTION...: whether nvcc compiles it without a word.
compile()
{
    "$nvcc" -rdc=true -arch=sm_90 -std=c++17 -I "$programs" "${@:2}" "$1" -o x.o >nvcc.txt 2>&1
    local rc=$?

    if [ "$rc" != 0 ] || [ -s nvcc.txt ]; then
        head -3 nvcc.txt
        return 1
    fi
}

# translate PROGRAM LEVEL: to out.cu, at a level that its pragmas get.
translate()
{
    sed -E "s/consldt\((warp|block|grid)\)/consldt($2)/" "$1" >in.cu
    expect_exit 0 "$RIBOGRID" dpc --port in.cu -I "$programs" --report -o out.cu --force || return 1
    [ -s "$out" ] || { echo "no report of $1" && return 1; }
    ! grep -q '#pragma dp' out.cu || { echo "$1: a pragma is left" && return 1; }
}

test_programs()
{
    local levels=(warp block grid) program n=0

    for program in "$programs"/*.cu; do
        translate "$program" "${levels[n++ % 3]}" || return 1
        [ -z "$nvcc" ] || [ $((n % 12)) != 1 ] || compile out.cu -ptx ||
            { echo "$program" && return 1; }
    done
}

test_all_levels()
{
    local level program

    for program in "$programs"/*.cu; do
        for level in warp block grid; do
            translate "$program" $level || return 1
            [ -z "$nvcc" ] || compile out.cu -c || { echo "$program per $level" && return 1; }
            grep -q '#pragma dp' "$program" || break
        done
    done
}

# Nothing but CUDA's own header is included, and nothing else has to be.
test_bare()
{
    printf '%s\n' '#include <cuda_runtime.h>' \
        '__global__ void child(int *a, int v) { atomicAdd(&a[v], 1); }' \
        '__global__ void parent(int *a, int n) {' '    const int v = threadIdx.x;' \
        '#pragma dp consldt(block) work(v)' '    child<<<1, n>>>(a, v);' \
        '    cudaDeviceSynchronize();' '    a[v] *= 2;' '}' >bare.cu
    expect_exit 0 "$RIBOGRID" dpc bare.cu -o bare.out.cu || return 1
    [ -z "$nvcc" ] || compile bare.out.cu -c
}

test_unchanged()
{
    local file

    for file in "$here"/../kernels/graph/cuda/*.cu "$programs/one_launch.cu"; do
        sed '/#pragma dp/d' "$file" >plain.cu
        expect_exit 0 "$RIBOGRID" dpc plain.cu -o same.cu --force && cmp plain.cu same.cu ||
            return 1
    done
    expect_exit 0 "$RIBOGRID" dpc - -o - <plain.cu && cmp plain.cu "$out" || return 1
    $has_clang || return 0
    printf '#include <cuda_runtime.h>\nint main() { return (int)cudaDeviceSynchronize(); }\n' \
        >host.cu
    expect_exit 0 "$RIBOGRID" dpc --port host.cu -o same.cu --force && cmp host.cu same.cu
}

# refused LINE REASON OPTION...: stdin is refused so, in one line, and there is no output.
refused()
{
    local line=$1 reason=$2

    shift 2
    {
        echo '__global__ void child(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x]++; }'
        cat
    } >bad.cu
    expect_exit 1 "$RIBOGRID" dpc bad.cu -o bad.out.cu "$@" &&
        expect_line "bad.cu:$line: .*$reason" "$err" || return 1
    [ ! -e bad.out.cu ] && [ "$(wc -l <"$err")" = 1 ]
}

# in_kernel LINE REASON CODE: the same of a kernel's body, from line 3 on.
in_kernel()
{
    printf '__global__ void parent(int *a, int n) {\n%b\n}\n' "$3" | refused "$1" "$2" --port
}

test_refused_pragmas()
{
    local pragma='#pragma dp consldt(block) work(a)' launch='child<<<1, 32>>>(a, n);'

    in_kernel 3 'halloc' "#pragma dp consldt(block) work(a) buffer(halloc)\n$launch" &&
        in_kernel 3 'unknown clause .wrok.; did you mean work' \
            "#pragma dp consldt(block) wrok(a)\n$launch" &&
        in_kernel 3 'given twice' "$pragma work(n)\n$launch" &&
        in_kernel 3 'not directly before a launch' "$pragma\na[0] = 1;\n$launch" &&
        in_kernel 5 'in a macro' "#define GO $launch\n$pragma\nGO" &&
        in_kernel 5 'through a pointer' "auto k = child;\n$pragma\nk<<<1, 32>>>(a, n);" &&
        in_kernel 3 'work.b.' "#pragma dp consldt(block) work(b)\n$launch" &&
        in_kernel 4 'not defined in this file' "$pragma\nchild<<<1, 32>>>(a);" &&
        refused 3 '__device__ function' <<<"__device__ void d(int *a, int n) {
$pragma
$launch }" &&
        refused 5 "write the template argument 'T'" <<<"template <class T> __global__ void fill(T *a) { *a = 0; }
__global__ void parent(int *a, int n) {
$pragma
fill<<<1, 32>>>((float *)a); }" &&
        refused 2 'uses cooperative groups .this_grid.' \
            <<<"__global__ void all(int *a) { cooperative_groups::this_grid().sync(); }
__global__ void parent(int *a, int n) {
$pragma
all<<<1, 32>>>(a); }"
}

test_refused_waits()
{
    local wait='child<<<1, 32>>>(a, n); cudaDeviceSynchronize();'

    in_kernel 3 'in a loop' "for (int i = 0; i < n; i++) { $wait }" &&
        in_kernel 3 'in a switch' "switch (n) { case 1: $wait }" &&
        in_kernel 3 "address of the local 'x'" "int x = 1, *p = &x; $wait a[0] = *p;" &&
        in_kernel 3 'dynamic shared memory' \
            "extern __shared__ int s[]; s[0] = n; $wait a[0] = s[0];" &&
        in_kernel 3 'reference' "int &r = a[1]; $wait r = 1;" &&
        in_kernel 3 'labels' "if (n) goto end; $wait end: a[0] = 1;" &&
        in_kernel 3 'unknown type name' "what_t x = 1; $wait a[0] = x;" &&
        refused 2 'a __device__ function' --port \
            <<<'__device__ void d() { cudaDeviceSynchronize(); }' &&
        refused 2 "'absent.h' file not found" --port <<<'#include "absent.h"
__global__ void k(int *a, int n) { cudaDeviceSynchronize(); a[0] = n; }'
}

test_options()
{
    printf '#ifdef GO\n#pragma dp consldt(thread) work(a)\n#endif\n' >choice.cu
    expect_exit 2 "$RIBOGRID" dpc none.cu &&
        expect_exit 2 "$RIBOGRID" dpc none.cu -o - --report &&
        expect_exit 2 "$RIBOGRID" dpc none.cu -o x.cu --pool-size 4G &&
        expect_exit 1 "$RIBOGRID" dpc absent.cu -o x.cu || return 1
    $has_clang || return 0
    expect_exit 1 "$RIBOGRID" dpc choice.cu -DGO -o x.cu &&
        expect_line 'choice.cu:2: .*give warp, block or grid' "$err" &&
        expect_exit 0 "$RIBOGRID" dpc choice.cu -o x.cu && cmp choice.cu x.cu &&
        expect_line 'choice.cu:2: .*stays as it is' "$err"
}

# Constants, and variables that keep a uniform value, are uniform; what is written is not.
# A parent that does not wait needs no launch for itself.
test_report()
{
    cat >constants.cu <<'CU'
#include <cuda_runtime.h>
enum { THREADS = 64 };
struct given {
    static const int BLOCKS = 3;
    int *p, n;
};
__device__ int counter;
__device__ void change(int &x) { x++; }
__global__ void child(int *p, int a, int b, int c, int d, int e) { p[a + b] = c + d + e; }
__global__ void parent(given g, given h, int n, int m)
{
    const int half = n / 2;
    int v = threadIdx.x, seen = counter, twice = 2 * half;
    h.n = v;
    change(m);
#pragma dp consldt(block) work(v)
    child<<<given::BLOCKS, THREADS>>>(g.p, twice + g.n, v, h.n, m, seen);
}
CU
    expect_exit 0 "$RIBOGRID" dpc "$programs/one_launch.cu" -I"$programs" --report -o r.cu &&
        expect_line 'one_launch.cu:19: add_all launches add_row: consolidated per block' \
            "$out" &&
        expect_line 'stored: grid, begin, len; uniform: block, out, factor' "$out" &&
        grep -q '^__global__ __launch_bounds__(1024) void add_all' r.cu &&
        ! grep -q add_all_dp_0 r.cu &&
        expect_exit 0 "$RIBOGRID" dpc constants.cu --report -o r3.cu &&
        expect_line 'stored: b, c, d, e; uniform: grid, block, p, a' "$out" &&
        expect_exit 0 "$RIBOGRID" dpc --port "$programs/wait_all.cu" -I "$programs" \
            --report -o r2.cu &&
        grep -q 'wait_all.cu:21: parent waits: saves len, v, begin, weight$' "$out"
}

check "files with nothing to translate stay as they are" test_unchanged
check "options are checked" test_options
if $has_clang; then
    if [ -n "${RIBOGRID_TEST_SCALE:-}" ]; then
        check "programs are translated, and compile" test_programs
    else
        check "programs are translated at every level, and compile" test_all_levels
    fi
    check "a file that includes nothing else" test_bare
    check "pragmas that cannot be obeyed are refused" test_refused_pragmas
    check "waits that cannot be divided are refused" test_refused_waits
    check "the report lists what is stored and saved" test_report
else
    check "without libclang one line names the package" \
        grep -q 'install it .*libclang-19-dev' no_clang.txt
fi
finish
