/*
 * gather.c - each shard's place in rank 0's log, behind the one before.
 */
#include "dispatcher/gather.h"

#include "io/store/reslog_copy.h"

status_t gather_begin(gather_t *g, job_t *job, transport_t *t, const int64_t *log_bytes)
{
    const int n = job->plan.n_shards, n_ranks = t->exchange.n_ranks;
    status_t st = reslog_copies_begin(job->log);

    g->has_begun = true;
    g->end = reslog_end(job->log);
    for (int k = 1; st == ST_OK && k < n; k++) {
        const int keeper = job_keeper_of(k, n_ranks, n);

        st = message_send(t, keeper, TAG_COPY, &g->end, sizeof(g->end));
        g->end += log_bytes[keeper];
        g->n_left++;
    }
    return st;
}

status_t gather_note(gather_t *g, job_t *job, const message_t *m)
{
    const reslog_copied_t *copied = (const reslog_copied_t *)(const void *)m->data.data;

    for (size_t i = 0; i < m->data.len / sizeof(*copied); i++)
        reslog_copies_note(job->log, copied[i].task, copied[i].payload_at);
    return --g->n_left > 0 ? ST_OK : reslog_copies_end(job->log, g->end);
}
