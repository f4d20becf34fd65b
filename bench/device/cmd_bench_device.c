/*
 * cmd_bench_device.c - `ribogrid-bench device`: rates and times of a stream to a remote
 * device, as the transport of runs has them.
 *
 * The other end is this command with --echo, behind any program that carries a stream,
 * such as ssh.
 */
#include "bench/device/device_table.h"
#include "bench/options/benchmarks.h"
#include "dispatcher/run.h"
#include "dispatcher/transport/transport_stream.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "tools/options/option_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *through, *buffers, *svg;
    option_sizes_t sizes;
    double seconds;
    bool echo, tsv;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "What to measure"},
    {OPTION_TEXT, "through", 0, AT(through), "COMMAND",
     "the other end: `ssh HOST ribogrid-bench device --echo` (that command "
     "here)"},
    {OPTION_SIZES, "sizes", 0, AT(sizes), "SIZE,...",
     "bytes of a message, ascending (4K,32K,256K,2M,16M)"},
    {OPTION_TEXT, "buffers", 0, AT(buffers), "N,...",
     "messages that are on the way at a time ({})"},
    {OPTION_POSITIVE, "seconds", 0, AT(seconds), "X",
     "of each measurement, the best of three ({})", .max = 60},
    {OPTION_FLAG, "echo", 0, AT(echo), NULL, "be the other end, on stdin and stdout"},
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_TSV, AT(tsv), .help = ", one per number"},
    {.word = WORD_SVG, AT(svg), .help = " the rates over the sizes"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

/* Messages: data, answered by an empty one; and sizes, answered by as much data. */
enum { TAG_DATA = 1, TAG_SIZE, TAG_ANSWER };

enum { BUFFERS_MAX = 1024, ROUND_TRIPS = 200, RUNS = 3 };
#define MESSAGE_BYTES_MAX ((int64_t)1 << 30)

/* ---- messages ---- */

/* Wait for the next message, as a run does. */
static status_t next(transport_t *t, message_t *m)
{
    const double until = clock_now_s() + 1e-3;
    bool got = false;
    status_t st = ST_OK;

    while (st == ST_OK && !got) {
        st = t->receive(t, m, &got);
        if (!got && clock_now_s() < until)
            sched_yield();
        else if (!got)
            usleep(RUN_WAIT_MIN_US);
    }
    if (st == ST_OK && m->tag == TRANSPORT_GONE)
        return ST_EPEER;
    return st;
}

static status_t send_bytes(transport_t *t, int to, int tag, size_t bytes)
{
    buf_t data = {0};
    status_t st = buf_reserve(&data, bytes);

    if (st != ST_OK)
        return st;
    memset(data.data, tag, bytes);
    data.len = bytes;
    return t->send(t, to, tag, &data);
}

static status_t send_size(transport_t *t, int64_t bytes)
{
    buf_t data = {0};
    status_t st = buf_append(&data, &bytes, sizeof(bytes));

    return st == ST_OK ? t->send(t, 1, TAG_SIZE, &data) : st;
}

/* ---- the other end ---- */

static status_t answer(transport_t *t, const message_t *m)
{
    int64_t bytes = 0;

    if (m->tag == TAG_SIZE && m->data.len == sizeof(bytes))
        memcpy(&bytes, m->data.data, sizeof(bytes));
    return bytes < 0 || bytes > MESSAGE_BYTES_MAX
               ? ST_EPEER
               : send_bytes(t, 0, TAG_ANSWER, (size_t)bytes);
}

/* Answer until the stream ends. */
static status_t echo(void)
{
    const stream_end_t client = {.in = dup(STDIN_FILENO),
                                 .out = dup(STDOUT_FILENO),
                                 .name = "the other end"};
    transport_t *t;
    status_t st;

    if (isatty(STDIN_FILENO))
        return options_misuse(&cmd_bench_device,
                              "--echo is for --through, not for a terminal");
    if ((st = transport_stream_device(&client, 1, 2, NULL, &t)) != ST_OK)
        return st;
    log_set_level(LOG_QUIET);
    while (st == ST_OK) {
        message_t m = {0};

        if ((st = next(t, &m)) == ST_OK)
            st = answer(t, &m);
        buf_free(&m.data);
    }
    log_set_sink(NULL);
    _exit(EXIT_OK); /* the client has ended: nobody reads a line about it */
}

/* ---- this end ---- */

static void become_other(int stream, const char *through)
{
    static char self[] = "/proc/self/exe", name[] = "ribogrid-bench", device[] = "device",
                option[] = "--echo";
    char *const alone[] = {name, device, option, NULL};

    if (dup2(stream, STDIN_FILENO) >= 0 && dup2(stream, STDOUT_FILENO) >= 0) {
        if (through == NULL)
            execv(self, alone);
        else
            execl("/bin/sh", "sh", "-c", through, (char *)NULL);
    }
    _exit(EXIT_FAILED);
}

static status_t connect_other(const char *through, transport_t **out)
{
    stream_end_t end = {.name = "the other end"};
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        log_error("cannot make a socket: %s", strerror(errno));
        return ST_EIO;
    }
    if ((end.child = fork()) == 0)
        become_other(pair[1], through);
    close(pair[1]);
    end.in = end.out = pair[0];
    return transport_stream_client(&end, 1, NULL, out);
}

enum { PLAIN_BYTES = 1 << 20 };

/* In a process of its own: read until the other end has gone. */
static void drain_plain(int stream, char *buffer)
{
    while (read(stream, buffer, PLAIN_BYTES) > 0)
        ;
    _exit(EXIT_OK);
}

/* What a socket of this machine carries, without frames, queues and threads.
 * @param out  bytes per second; 0: it cannot be measured */
static status_t measure_plain(double seconds, double *out)
{
    char *buffer = calloc(1, PLAIN_BYTES);
    const double begin_s = clock_now_s();
    int pair[2];
    pid_t child;
    double n = 0;
    ssize_t now = 1;

    *out = 0;
    if (buffer == NULL)
        return log_nomem("a buffer");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        free(buffer);
        return ST_OK;
    }
    if ((child = fork()) == 0) {
        close(pair[0]);
        drain_plain(pair[1], buffer);
    }
    close(pair[1]);
    for (; child > 0 && now > 0 && clock_now_s() - begin_s < seconds; n += (double)now)
        now = write(pair[0], buffer, PLAIN_BYTES);
    *out = n / (clock_now_s() - begin_s);
    close(pair[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    free(buffer);
    return ST_OK;
}

/* Send requests with n of them on the way, for some time; the row's rate becomes the
 * larger one. */
static status_t measure_once(transport_t *t, double seconds, device_row_t *row)
{
    const double begin_s = clock_now_s();
    double now_s = begin_s;
    int64_t n_sent = 0, n_done = 0;
    status_t st = ST_OK;

    while (st == ST_OK && (n_done < n_sent || now_s - begin_s < seconds)) {
        message_t m = {0};

        if (n_sent - n_done < row->n && now_s - begin_s < seconds) {
            st = row->way == DEVICE_UP ? send_bytes(t, 1, TAG_DATA, (size_t)row->bytes)
                                       : send_size(t, (int64_t)row->bytes);
            n_sent++;
        } else if ((st = next(t, &m)) == ST_OK) {
            n_done++;
        }
        buf_free(&m.data);
        now_s = clock_now_s();
    }
    row->rate = fmax(row->rate, (double)n_done * row->bytes / (now_s - begin_s));
    return st;
}

static status_t measure(transport_t *t, double seconds, device_row_t *row)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < RUNS; i++)
        st = measure_once(t, seconds / RUNS, row);
    return st;
}

static status_t time_round_trips(transport_t *t, double *out)
{
    double seconds[ROUND_TRIPS], min, max;
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < ROUND_TRIPS; i++) {
        const double begin_s = clock_now_s();
        message_t m = {0};

        if ((st = send_bytes(t, 1, TAG_DATA, 0)) == ST_OK)
            st = next(t, &m);
        buf_free(&m.data);
        seconds[i] = clock_now_s() - begin_s;
    }
    bench_times(seconds, ROUND_TRIPS, &min, out, &max);
    return st;
}

static status_t measure_all(const args_t *a, const bench_list_t *buffers,
                            device_table_t *table)
{
    const double begin_s = clock_now_s();
    transport_t *t;
    status_t st = connect_other(a->through, &t);
    message_t m = {0};

    if (st != ST_OK)
        return st;
    if ((st = send_bytes(t, 1, TAG_DATA, 0)) == ST_OK)
        st = next(t, &m);
    buf_free(&m.data);
    table->start_s = clock_now_s() - begin_s;
    if (st == ST_OK)
        st = time_round_trips(t, &table->round_trip_s);
    for (int way = 0; way < DEVICE_WAYS; way++)
        for (int b = 0; b < buffers->n; b++)
            for (int k = 0; st == ST_OK && k < a->sizes.n; k++) {
                device_row_t *row = &table->rows[table->n++];

                *row = (device_row_t){.way = (device_way_t)way,
                                      .n = (int)buffers->at[b],
                                      .bytes = (double)a->sizes.at[k]};
                st = measure(t, a->seconds, row);
            }
    t->destroy(t);
    return st;
}

static status_t draw(const args_t *a, const device_table_t *table)
{
    whole_file_t *to;
    status_t st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to);

    if (st != ST_OK)
        return st;
    device_table_draw(whole_file_stream(to), table);
    return whole_file_close(to, ST_OK);
}

static status_t check(const args_t *a, bench_list_t *buffers)
{
    const bench_numbers_t allowed = {"buffers", 1, BUFFERS_MAX, false, false};

    if (!bench_list_parse(&allowed, a->buffers, buffers))
        return options_misuse(&cmd_bench_device,
                              "--buffers %s: give at most %d numbers, from 1 to %d, "
                              "separated by commas",
                              a->buffers, BENCH_LIST_MAX, BUFFERS_MAX);
    for (int i = 0; i < a->sizes.n; i++)
        if (a->sizes.at[i] < 1 || a->sizes.at[i] > MESSAGE_BYTES_MAX ||
            (i > 0 && a->sizes.at[i] <= a->sizes.at[i - 1]))
            return options_misuse(&cmd_bench_device,
                                  "--sizes: give 1 to 1G, in ascending order");
    if (a->sizes.n * buffers->n * DEVICE_WAYS > DEVICE_TABLE_MAX)
        return options_misuse(&cmd_bench_device,
                              "--sizes and --buffers: give fewer numbers");
    return ST_OK;
}

static status_t run(void *args)
{
    static device_table_t table;
    const args_t *a = args;
    bench_list_t buffers;
    status_t st;

    if (a->echo)
        return echo();
    if ((st = check(a, &buffers)) != ST_OK)
        return st;
    table.stream = a->through != NULL ? a->through : "a socket of this machine";
    if (a->through == NULL && (st = measure_plain(a->seconds, &table.plain)) != ST_OK)
        return st;
    if ((st = measure_all(a, &buffers, &table)) != ST_OK) {
        log_error("%s: the other end does not answer", table.stream);
        return st;
    }
    device_table_fit(&table);
    if (a->tsv)
        device_table_tsv(&table);
    else
        device_table_print(&table);
    return a->svg != NULL ? draw(a, &table) : ST_OK;
}

static void defaults(void *args)
{
    *(args_t *)args =
        (args_t){.common = job_opts_defaults(),
                 .sizes = {.at = {4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20},
                           .n = 5},
                 .buffers = "1,4,16",
                 .seconds = 0.3};
}

const command_t cmd_bench_device = {
    .name = "device",
    .summary = "rates and times of a stream to a remote device",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "`up` are messages to the device, each answered by an empty one, `down` "
        "messages\n"
        "from it, each requested by a small one. The model, fitted to each way, is\n"
        "min(S / t, n S / (t + S / E + round trip)) with t = S / bandwidth + time per\n"
        "message for n messages of S bytes on the way, which their ends make and take at "
        "E\n"
        "bytes per second. Whole runs: bench/devices.sh.\n",
    .example =
        "ribogrid-bench device --through 'ssh gpu.lab ribogrid-bench device --echo'",
    .defaults = defaults,
    .run = run,
};
