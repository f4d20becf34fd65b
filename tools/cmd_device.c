/*
 * cmd_device.c - `ribogrid device ...`: what the user who runs serve-device asks it.
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

enum { REQUEST_BYTES = 64, LOOK_US = 200000 };

static const option_t words[] = {{OPTION_TEXT, "SERVER", 0, AT(server)},
                                 {.kind = OPTION_END}};
static const option_t no_options[] = {{.kind = OPTION_END}};
static const option_t of_devices[] = {{OPTION_INT, "index", 0, AT(index), "N",
                                       "only the device with this number (all)", 0,
                                       PAGE_DEVICES_MAX - 1},
                                      {.kind = OPTION_END}};
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

/* Ask for "VERB MASK" of the devices.
 * @return the number that answers, >= 0, or a negative status_t */
static int ask_devices(const args_t *a, const char *verb)
{
    const uint64_t mask = IS_GIVEN(a, index) ? UINT64_C(1) << a->index : UINT64_MAX;
    char request[REQUEST_BYTES];
    buf_t answer = {0};
    int n;

    snprintf(request, sizeof(request), "%s %" PRIx64 "\n", verb, mask);
    if ((n = (int)remote_admin_ask(a->server, request, &answer)) == ST_OK)
        n = abs(atoi((const char *)answer.data + 1));
    buf_free(&answer);
    return n;
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

static status_t unlock(void *args)
{
    const int n = ask_devices(args, "unlock");

    return n < 0 ? (status_t)n : ST_OK;
}

/* An interrupt takes the drain back, unless the devices are empty by then; a second one
 * ends this at once. */
static status_t drain(void *args)
{
    /* an answer that is due is read: it may say that they are */
    const struct sigaction action = {.sa_handler = on_signal,
                                     .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    int n, before = -1;
    status_t st;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while ((n = ask_devices(args, "drain")) > 0 && !stops) {
        if (n != before)
            log_info("runs that have not left yet: %d", n);
        before = n;
        usleep(LOOK_US);
    }
    if (n <= 0)
        return (status_t)n;
    if ((st = unlock(args)) != ST_OK)
        return st;
    log_info("not emptied: the devices take runs again");
    return ST_ESTOPPED;
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

#define DEVICE_COMMAND(verb, ...)                                      \
    const command_t cmd_device_##verb = {.name = "device " #verb,      \
                                         .words = words,               \
                                         .args_bytes = sizeof(args_t), \
                                         .run = verb,                  \
                                         __VA_ARGS__}

DEVICE_COMMAND(
    list, .summary = "list who uses the devices of a server", .usage = "[options]",
    .options = no_options,
    .notes = SERVER_NOTE
    "Columns, separated by tabs: the device, the user, the process that serves the run, "
    "its\ncommand, tasks or steps done here, seconds since it came, and whether it "
    "computes, waits\n(another device computes it, or it begins) or leaves.\n",
    .example = "ribogrid device list /run/ribogrid/control");

DEVICE_COMMAND(
    drain, .summary = "have runs leave the devices of a server, and wait until they have",
    .usage = "[options]", .options = of_devices,
    .notes = SERVER_NOTE
    "Runs finish the tasks that they hold, or their step, and go on at the other devices "
    "of\ntheir command lines. New ones are refused until `device unlock`. An interrupt "
    "unlocks.\n",
    .example = "ribogrid device drain /run/ribogrid/control --index 0");

DEVICE_COMMAND(unlock, .summary = "let runs come to the devices of a server again",
               .usage = "[options]", .options = of_devices, .notes = SERVER_NOTE,
               .example = "ribogrid device unlock /run/ribogrid/control");

DEVICE_COMMAND(move,
               .summary = "have a training go on at another device of its command line",
               .usage = "--process N", .options = of_move,
               .notes = SERVER_NOTE "It may come back, unlike after `device drain`.\n",
               .example = "ribogrid device move /run/ribogrid/control --process 4711");

DEVICE_COMMAND(
    rebalance, .summary = "spread trainings over the devices of a server",
    .usage = "[options]", .options = of_rebalance,
    .notes = SERVER_NOTE
    "A training moves to a less used device of its command line: by calls, if the "
    "numbers of\nruns differ by more than half of all runs and by at least 2; by time, "
    "if "
    "the fuller device\nthen takes at most 80 % of the time.\n",
    .example = "ribogrid device rebalance /run/ribogrid/control --by time");
