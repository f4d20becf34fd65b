/*
 * gpu_rg_cuda.c - graph programs on a GPU compute what the interpreter does, and fail at
 * the same place.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if
 * anything differs, 77 without a GPU or NVRTC.
 *
 * usage: gpu_rg_cuda [--share K/N]
 *        --share: part K of N of the programs, so that N processes share the work
 */
#include "kernels/device/nvrtc.h"
#include "tests/graph/program/gpu_program_case.h"
#include "tests/support/gpu_case.h"

int main(int argc, char **argv)
{
    char why[NVRTC_WHY_BYTES];
    gpu_program_case_t c = {.n_nodes = 9000, .n_random = 60, .share = 1, .n_shares = 1};
    pool_t *pool;
    device_t cpu;
    int code;

    if (argc == 3 && strcmp(argv[1], "--share") == 0 &&
        sscanf(argv[2], "%d/%d", &c.share, &c.n_shares) != 2)
        return EXIT_FAILURE;
    if ((code = gpu_case_begin(c.share - 1, &cpu, &c.gpu, &pool)) != EXIT_SUCCESS)
        return code;
    pool_destroy(pool);
    if (!nvrtc_is_there(why)) {
        printf("skipped: %s\n", why);
        return GPU_CASE_SKIPPED;
    }
    return gpu_program_compare_all(&c) ? EXIT_SUCCESS : EXIT_FAILURE;
}
