/*
 * fuzz_cnn_net.c - libFuzzer target: arbitrary bytes as the text of a network; what is
 * accepted must compile to programs that keep all rules.
 */
#include "cnn/plan/cnn_plan.h"
#include "kernels/cnn/common/cnn_backend.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUZZ_LAYERS_MAX = 200 }; /* checking takes their number squared */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void require(int good)
{
    if (!good)
        abort();
}

/* Errors are always logged: redirect stderr, but only during the calls that log, since
 * the fuzzer writes to it, too. */
static void silence(int on)
{
    static int null = -1, own_stderr = -1;

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        own_stderr = dup(STDERR_FILENO);
    }
    dup2(on ? null : own_stderr, STDERR_FILENO);
}

static void check_programs(const cnn_net_t *net)
{
    for (int i = 0; i < 4; i++) {
        const cnn_plan_options_t options = {.n_images = 1 + 2 * i,
                                            .types =
                                                i < 2 ? CNN_PLAN_FP32 : CNN_PLAN_BF16,
                                            .purpose = i % 2 == 0 ? CNN_PLAN_TRAINING
                                                                  : CNN_PLAN_INFERENCE};
        cnn_program_t *p;

        status_t st;

        silence(1);
        st = cnn_plan_compile(net, &options, &p);
        silence(0);
        if (st != ST_OK)
            continue;
        require(cnn_program_check(p, NULL));
        for (int t = 0; t < p->n_tensors; t++)
            if (p->tensors[t].role == CNN_PARAMETER || p->tensors[t].role == CNN_STATE)
                require(cnn_plan_start(net, p, t).value > -1e7);
        cnn_program_destroy(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int fd = memfd_create("fuzz_cnn_net", 0);
    cnn_net_t *net;
    char path[64];
    status_t st;

    require(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    silence(1);
    st = cnn_net_read(path, 0, &net);
    silence(0);
    close(fd);
    if (st != ST_OK)
        return 0;
    require(cnn_solver_rate(&net->solver, net->solver.epochs / 3) >= 0);
    if (net->n_layers <= FUZZ_LAYERS_MAX)
        check_programs(net);
    cnn_net_destroy(net);
    return 0;
}
