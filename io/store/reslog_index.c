/*
 * reslog_index.c - where a log's records are: every task's last one, and those of the
 * last complete version.
 */
#include "io/store/reslog_head.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t reslog_index_begin(reslog_index_t *ix, int64_t n_tasks)
{
    *ix = (reslog_index_t){.n_tasks = n_tasks, .newest = -1, .complete = -1};
    ix->last = calloc((size_t)n_tasks + 1, sizeof(*ix->last));
    return ix->last != NULL ? ST_OK : log_nomem("the log's index");
}

/* Only a task's second version needs more: logs of free tasks never do. */
status_t reslog_index_reserve(reslog_index_t *ix, int64_t task, int64_t version)
{
    const reslog_record_at_t *last = &ix->last[task];

    if (ix->complete_at != NULL || last->at == 0 || last->version == version)
        return ST_OK;
    ix->complete_at = malloc((size_t)ix->n_tasks * sizeof(*ix->complete_at));
    if (ix->complete_at == NULL)
        return log_nomem("the log's index");
    for (int64_t i = 0; i < ix->n_tasks; i++)
        ix->complete_at[i] = ix->last[i].at;
    return ST_OK;
}

static int64_t count_last(const reslog_index_t *ix, int64_t version)
{
    int64_t n = 0;

    for (int64_t i = 0; i < ix->n_tasks; i++)
        n += ix->last[i].at != 0 && ix->last[i].version == version;
    return n;
}

void reslog_index_note(reslog_index_t *ix, int64_t task, int64_t version, int64_t at,
                       int64_t end)
{
    reslog_record_at_t *last = &ix->last[task];

    ix->n_done += last->at == 0;
    ix->n_newest += version == ix->newest && (last->at == 0 || last->version != version);
    *last = (reslog_record_at_t){at, version};
    if (version != ix->newest) {
        ix->newest = version;
        ix->n_newest = count_last(ix, version);
    }
    if (ix->n_newest < ix->n_tasks)
        return;
    ix->complete = version;
    ix->complete_end = end;
    for (int64_t i = 0; ix->complete_at != NULL && i < ix->n_tasks; i++)
        ix->complete_at[i] = ix->last[i].at;
}

int64_t reslog_index_rewind(reslog_index_t *ix, int64_t start)
{
    if (ix->complete < 0) {
        memset(ix->last, 0, (size_t)ix->n_tasks * sizeof(*ix->last));
        ix->n_done = ix->n_newest = 0;
        ix->newest = -1;
        return start;
    }
    for (int64_t i = 0; i < ix->n_tasks; i++) {
        if (ix->complete_at != NULL)
            ix->last[i].at = ix->complete_at[i];
        ix->last[i].version = ix->complete;
    }
    ix->newest = ix->complete;
    ix->n_newest = ix->n_done = ix->n_tasks;
    return ix->complete_end;
}

void reslog_index_moved(reslog_index_t *ix, int64_t end)
{
    ix->complete_end = end;
    for (int64_t i = 0; ix->complete_at != NULL && i < ix->n_tasks; i++)
        ix->complete_at[i] = ix->last[i].at;
}

void reslog_index_free(reslog_index_t *ix)
{
    free(ix->last);
    free(ix->complete_at);
}
