/* queens.cu - counts placements of queens: each thread of a block tries a column, and
 * launches a block for the next row, to which it passes a structure; votes of a warp. */
#include <cuda_runtime.h>
#include "check.h"

typedef struct board_ {
    unsigned columns, left, right;
    int row;
} board_t;

__global__ void place(board_t b, int n, unsigned long long *count)
{
    const int c = threadIdx.x;
    const unsigned bit = 1u << c;
    bool is_free = c < n && !((b.columns | b.left | b.right) & bit);
    const unsigned votes = __ballot_sync(0xffffffff, is_free);
    if (b.row == n - 1) {
        if (c == 0)
            atomicAdd(count, (unsigned long long)__popc(votes));
        return;
    }
    if (!is_free)
        return;
    board_t next = {b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1,
                    b.row + 1};
#pragma dp consldt(warp) buffer(custom, 64) work(next)
    place<<<dim3(1), dim3(32)>>>(next, n, count);
}

__global__ void to_int(const unsigned long long *count, int *out)
{
    *out = (int)*count;
}

int main()
{
    const int want[1] = {92}, zero[1] = {0};
    const unsigned long long none[1] = {0};
    unsigned long long *count = on_device(none, 1);
    int *out = on_device(zero, 1);
    place<<<1, 32>>>(board_t{0, 0, 0, 0}, 8, count);
    to_int<<<1, 1>>>(count, out);
    return check(out, want, 1);
}
