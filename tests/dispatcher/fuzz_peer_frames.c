/*
 * fuzz_peer_frames.c - libFuzzer target: arbitrary bytes as what the other end of a
 * stream sends, a client or a device, in a job of free tasks or a gang, as the first byte
 * says; messages that are taken hold what their receivers read.
 */
#include "dispatcher/protocol.h"
#include "dispatcher/transport/stream_frame.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

enum { N_TASKS = 10, EXCHANGE_BYTES = 16 };

static const job_t jobs[] = {{.plan = {.kind = JOB_FREE, .n_tasks = N_TASKS}},
                             {.plan = {.kind = JOB_GANG, .n_tasks = N_TASKS}}};
static const job_t *job; /* one of them */

static void check_task(int64_t task)
{
    if (task < 0 || task >= N_TASKS)
        abort();
}

/* As the dispatcher walks through results. */
static void read_results(message_t *m)
{
    const size_t len = m->data.len;
    result_head_t head;

    for (size_t at = 0; at < len; at += sizeof(head) + (size_t)head.len) {
        buf_t one = {0};

        memcpy(&head, m->data.data + at, sizeof(head));
        check_task(head.task);
        if (result_take(m, at, &head, &one) != ST_OK ||
            one.len != sizeof(head) + head.len)
            abort();
        buf_free(&one);
    }
}

/* As the ranks of a gang copy them out. */
static void read_gang(const message_t *m)
{
    gang_state_t state;

    if ((m->tag == TAG_BEGIN || m->tag == TAG_STEPS) && m->data.len != sizeof(int64_t))
        abort();
    if ((m->tag == TAG_ORDERS && m->data.len != sizeof(gang_orders_t)) ||
        (m->tag == TAG_FINISHED && m->data.len != sizeof(worker_finish_t)))
        abort();
    if (m->tag == TAG_GRANT || m->tag == TAG_CHECK || m->tag == TAG_LOST)
        abort();
    if (m->tag != TAG_STATE)
        return;
    memcpy(&state, m->data.data, sizeof(state));
    check_task(state.task);
}

static void read_message(message_t *m, bool to_client)
{
    if (message_refusal(job, m, to_client) != NULL)
        return;
    if (job->plan.kind == JOB_GANG)
        read_gang(m);
    if (m->tag == TAG_RESULT)
        read_results(m);
    for (size_t at = 0; m->tag == TAG_GRANT && at < m->data.len; at += sizeof(int64_t)) {
        int64_t task;

        memcpy(&task, m->data.data + at, sizeof(task));
        check_task(task);
    }
}

static void take_frame(frame_reader_t *r, bool to_client)
{
    message_t m = {.source = to_client, .tag = r->head.tag, .data = r->data};

    if (r->head.kind == FRAME_MESSAGE) {
        r->data = (buf_t){0};
        read_message(&m, to_client);
        buf_free(&m.data);
    }
    frame_reader_next(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static char exchanged[EXCHANGE_BYTES];
    frame_reader_t r = {.len = 0};
    const bool to_client = len > 0 && (data[0] & 1) != 0;
    size_t at = 1;

    job = &jobs[len > 0 ? data[0] >> 1 & 1 : 0];
    while (at < len && r.why == NULL) {
        void *to;
        size_t room;
        bool is_complete;

        if (frame_reader_waits(&r)) {
            r.exchange.to = exchanged;
            r.exchange.len = sizeof(exchanged);
            r.exchange.is_due = true;
            (void)frame_reader_settle(&r);
            continue;
        }
        if (frame_reader_room(&r, &to, &room) != ST_OK || room == 0)
            abort();
        room = room < len - at ? room : len - at;
        memcpy(to, data + at, room);
        at += room;
        is_complete = frame_reader_took(&r, room);
        if (is_complete)
            take_frame(&r, to_client);
    }
    frame_reader_free(&r);
    return 0;
}
