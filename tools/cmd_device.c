/*
 * cmd_device.c - `ribogrid device ...`: requests to a server of serve-device, of who runs
 * it.
 */
#include "dispatcher/remote/remote_admin.h"
#include "io/base/logmsg.h"
#include "tools/options/commands.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *server;
    int64_t index, process;
    int by;
} args_t;

#define AT(member) OPTION_AT(args_t, member)
#define INDEX                                                                 \
    {                                                                         \
        OPTION_INT, "index", 0, AT(index), "N",                               \
            "only the device with this number (all)", 0, PAGE_DEVICES_MAX - 1 \
    }

enum { REQUEST_BYTES = 64, LOOK_US = 200000 };

static const option_t words[] = {{OPTION_TEXT, "SERVER", 0, AT(server)},
                                 {.kind = OPTION_END}};
static const option_t no_options[] = {{.kind = OPTION_END}};
static const option_t of_devices[] = {INDEX, {.kind = OPTION_END}};
static const option_t of_move[] = {
    {OPTION_INT, "process", 0, AT(process), "N",
     "process of the run that goes on elsewhere, as `device list` prints it", 1,
     INT32_MAX},
    {.kind = OPTION_END}};
static const option_t of_rebalance[] = {
    {OPTION_CHOICE, "by", 0, AT(by), "calls|time",
     "compare devices by their number of runs (calls), or by the seconds that these "
     "still take (time) ({})"},
    {.kind = OPTION_END}};

static volatile sig_atomic_t stops;

static void on_signal(int number)
{
    (void)number;
    stops = 1;
}

/* Ask for "VERB MASK" of the devices. @return the number that answers, >= 0, or an error
 */
static int ask_devices(const args_t *a, const char *verb, buf_t *answer)
{
    const uint64_t mask = IS_GIVEN(a, index) ? UINT64_C(1) << a->index : UINT64_MAX;
    char request[REQUEST_BYTES];
    status_t st;

    snprintf(request, sizeof(request), "%s %" PRIx64 "\n", verb, mask);
    if ((st = remote_admin_ask(a->server, request, answer)) != ST_OK)
        return (int)st;
    return abs(atoi((const char *)answer->data + 1));
}

/* Print what a server answers. */
static status_t ask(const args_t *a, const char *request, const char *what)
{
    buf_t answer = {0};
    const status_t st = remote_admin_ask(a->server, request, &answer);

    if (st == ST_OK)
        printf("%s%s", what, (const char *)answer.data + 1);
    buf_free(&answer);
    return st;
}

static status_t list(void *args)
{
    return ask(args, "list\n", "");
}

/* An interrupt takes the drain back. */
static status_t drain(void *args)
{
    const args_t *a = args;
    struct sigaction action = {.sa_handler = on_signal};
    buf_t answer = {0};
    int n, before = -1;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while ((n = ask_devices(a, "drain", &answer)) > 0 && !stops) {
        if (n != before)
            log_info("%d runs have not left yet", n);
        before = n;
        usleep(LOOK_US);
    }
    if (n > 0)
        n = ask_devices(a, "unlock", &answer);
    buf_free(&answer);
    if (n < 0 || !stops)
        return n < 0 ? (status_t)n : ST_OK;
    log_info("not emptied: the devices take runs again");
    return ST_ESTOPPED;
}

static status_t unlock(void *args)
{
    buf_t answer = {0};
    const int n = ask_devices(args, "unlock", &answer);

    buf_free(&answer);
    return n < 0 ? (status_t)n : ST_OK;
}

static status_t move(void *args)
{
    const args_t *a = args;
    char request[REQUEST_BYTES];

    if (a->process == 0)
        return options_misuse(&cmd_device_move, "give --process N");
    snprintf(request, sizeof(request), "move %" PRId64 "\n", a->process);
    return ask(a, request, "");
}

static status_t rebalance(void *args)
{
    const args_t *a = args;

    return ask(a, a->by == 0 ? "rebalance calls\n" : "rebalance time\n",
               "runs that move: ");
}

#define SERVER_NOTE                                                                  \
    "SERVER: the PATH of `serve-device --control PATH`. Only the user who runs the " \
    "server may\nconnect.\n"

const command_t cmd_device_list = {
    .name = "device list",
    .summary = "list who uses the devices of a server",
    .words = words,
    .usage = "[options]",
    .options = no_options,
    .args_bytes = sizeof(args_t),
    .notes = SERVER_NOTE
    "Columns, separated by tabs: the device, the user, the process that serves the run, "
    "its\ncommand, tasks or steps done here, seconds since it came, and whether it "
    "computes, waits\n(another device computes it, or it begins) or leaves.\n",
    .example = "ribogrid device list /run/ribogrid/control",
    .run = list,
};

const command_t cmd_device_drain = {
    .name = "device drain",
    .summary = "have runs leave the devices of a server, and wait until they have",
    .words = words,
    .usage = "[options]",
    .options = of_devices,
    .args_bytes = sizeof(args_t),
    .notes = SERVER_NOTE
    "Runs finish the tasks that they hold, or their step, and go on at the other devices "
    "of\ntheir command lines. New ones are refused until `device unlock`. An interrupt "
    "unlocks.\n",
    .example = "ribogrid device drain /run/ribogrid/control --index 0",
    .run = drain,
};

const command_t cmd_device_unlock = {
    .name = "device unlock",
    .summary = "let runs come to the devices of a server again",
    .words = words,
    .usage = "[options]",
    .options = of_devices,
    .args_bytes = sizeof(args_t),
    .notes = SERVER_NOTE,
    .example = "ribogrid device unlock /run/ribogrid/control",
    .run = unlock,
};

const command_t cmd_device_move = {
    .name = "device move",
    .summary = "have a training go on at another device of its command line",
    .words = words,
    .usage = "--process N",
    .options = of_move,
    .args_bytes = sizeof(args_t),
    .notes = SERVER_NOTE "It may come back, unlike after `device drain`.\n",
    .example = "ribogrid device move /run/ribogrid/control --process 4711",
    .run = move,
};

const command_t cmd_device_rebalance = {
    .name = "device rebalance",
    .summary = "spread trainings over the devices of a server",
    .words = words,
    .usage = "[options]",
    .options = of_rebalance,
    .args_bytes = sizeof(args_t),
    .notes = SERVER_NOTE
    "A training moves to a less used device of its command line: by calls, if the "
    "numbers "
    "of\nruns differ by more than half of all runs and by at least 2; by time, if the "
    "fuller device\nthen takes at most 80 % of the time.\n",
    .example = "ribogrid device rebalance /run/ribogrid/control --by time",
    .run = rebalance,
};
