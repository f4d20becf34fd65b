/*
 * transport_local.c - the transport of one rank, and the choice between transports.
 */
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    transport_t base;
    message_queue_t queue;
} local_t;

static status_t local_send(transport_t *t, int to, int tag, buf_t *data)
{
    (void)to;
    return message_queue_push(&((local_t *)t)->queue, 0, tag, data);
}

static status_t local_receive(transport_t *t, message_t *out, bool *got)
{
    *got = message_queue_pop(&((local_t *)t)->queue, out);
    return ST_OK;
}

static void local_abandon(transport_t *t, int exit_code)
{
    (void)t;
    _exit(exit_code);
}

static void local_destroy(transport_t *t)
{
    if (t == NULL)
        return;
    message_queue_free(&((local_t *)t)->queue);
    free(t);
}

static status_t create_local(transport_t **out)
{
    local_t *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return log_nomem("the transport");
    t->base = (transport_t){.exchange = exchange_alone(),
                            .send = local_send,
                            .receive = local_receive,
                            .abandon = local_abandon,
                            .destroy = local_destroy};
    *out = &t->base;
    return ST_OK;
}

/* Open MPI's mpirun, PMIx (srun --mpi=pmix) and PMI (srun --mpi=pmi2, Hydra) set these
 * variables for the processes that they start.  SLURM_PROCID is none of them: without
 * --mpi, srun starts processes that do not know of each other.
 * @return the rank as text, or NULL */
static const char *launcher_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *rank = NULL;

    for (size_t i = 0; rank == NULL && i < sizeof(names) / sizeof(names[0]); i++)
        rank = getenv(names[i]);
    return rank;
}

bool transport_has_launcher(void)
{
    return launcher_rank() != NULL;
}

int transport_launcher_rank(void)
{
    const char *rank = launcher_rank();

    return rank != NULL ? atoi(rank) : 0;
}

/* srun sets it for a step; a batch script does not have it. */
static int slurm_tasks(void)
{
    const char *n = getenv("SLURM_STEP_NUM_TASKS");

    return n != NULL ? atoi(n) : 1;
}

status_t transport_create(transport_t **out)
{
    transport_t *t = NULL;
    status_t st = launcher_rank() != NULL ? transport_mpi_create(&t) : create_local(&t);

    if (st != ST_OK)
        return st;
    if (t->exchange.n_ranks == 1 && slurm_tasks() > 1) {
        t->destroy(t);
        log_error("Slurm started %d tasks without MPI between them; start them with "
                  "`srun --mpi=pmix` or with `mpirun`",
                  slurm_tasks());
        return ST_EUSAGE;
    }
    *out = t;
    return ST_OK;
}
