/*
 * rg_context.h - contexts as the library's functions use them: each begins and ends its
 * call, between which messages go to the context.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/base/pool.h"
#include "library/rg_allocator.h"
#include "library/ribogrid.h"
#include "worker/bind.h"

#include <pthread.h>
#include <stdatomic.h>

/* What messages of a call become. */
typedef struct {
    log_sink_t sink;
    pthread_mutex_t lock;
    buf_t error, warnings; /* texts, without a final NUL until the call ends */
    bool lacks_memory;     /* for a text */
} rg_messages_t;

struct rg_context {
    rg_messages_t messages;
    atomic_int n_owners; /* aligners, and the caller */
    atomic_bool is_busy;
    int cancel; /* atomic; as align_run_t has it */
    binding_t binding;
    pool_t *pool;
    int64_t memory_bytes; /* for a batch */
    bool may_fall_back;   /* to the CPU, from a GPU that was not asked for */
    int gpu_before;       /* that the caller's thread used before the call; -1: none */
    int (*progress)(void *arg, double done);
    void *progress_arg;
    rg_allocator_t memory; /* for arrays of results */
    bool is_guarded;       /* files are read in a child first */
};

/*
 * Begin a call: messages of this thread go to the context.
 *
 * @param before  out: for rg_context_leave
 * @return RG_OK, RG_EINVAL (no context) or RG_EBUSY; then nothing is to be ended
 */
rg_status_t rg_context_enter(rg_context_t *context, log_sink_t **before) MUST_CHECK;

/* End it. @return the status for the caller */
rg_status_t rg_context_leave(rg_context_t *context, log_sink_t *before, status_t st);

/* Replace what the error of the call says to do: the program's remedy is of no use. */
void rg_context_remedy(rg_context_t *context, const char *remedy);

/* Report progress. @return ST_OK, or ST_ESTOPPED: the call is cancelled */
status_t rg_context_progress(rg_context_t *context, double done) MUST_CHECK;

/* Keep a context, until rg_context_destroy is called once more. */
rg_context_t *rg_context_share(rg_context_t *context);

/*
 * Complete a struct of options.
 *
 * @param given  as a caller has it, its size first; NULL: defaults
 * @param out    [size] defaults; out: with what is given
 * @return ST_OK or ST_EUSAGE (logged)
 */
status_t rg_options_take(const void *given, void *out, size_t size) MUST_CHECK;
