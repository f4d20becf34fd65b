/*
 * gang_nccl.cu - the gang between GPUs: the one file that calls NCCL.
 *
 * The communicator does not block: every call is polled, together with its stream and the
 * communicator's errors, so that a cancel or a lost rank ends it.  No kernels here, hence
 * no mapping of threads.
 */
#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/gang/gang.h"
#include "kernels/gang/gang_nccl.h"
}

#include <atomic>
#include <cstring>
#include <nccl.h>
#include <new>
#include <sched.h>

static_assert(sizeof(ncclUniqueId) <= GANG_NCCL_ID_BYTES, "the id does not fit");

namespace
{

struct nccl_t {
    gang_t base; /* first: calls come with it */
    int device;
    ncclComm_t comm;     /* NULL after an error or a cancel */
    bool has_joined;     /* the first operation waits until all ranks have */
    cudaStream_t stream; /* of operations that are waited for */
    cudaEvent_t done;    /* behind the last operation on any stream */
    void *barrier_data;  /* one number */
    std::atomic<bool> cancelled;
};

nccl_t *of(gang_t *g)
{
    return reinterpret_cast<nccl_t *>(g);
}

/* No operation succeeds any more. */
status_t drop_comm(nccl_t *n, status_t why)
{
    if (n->comm != nullptr)
        ncclCommAbort(n->comm);
    n->comm = nullptr;
    return why;
}

status_t fail(nccl_t *n, ncclResult_t result, const char *call)
{
    status_t why = ST_EPEER; /* the network, or another rank */

    log_error("NCCL: rank %d: %s: %s", n->base.rank, call, ncclGetErrorString(result));
    if (result == ncclUnhandledCudaError)
        why = ST_ELOST;
    else if (result == ncclInvalidArgument || result == ncclInvalidUsage)
        why = ST_EDEVICE;
    return drop_comm(n, why);
}

/* Wait until the host's part of a call is complete. */
status_t settle(nccl_t *n, ncclResult_t result, const char *call)
{
    while (result == ncclInProgress) {
        if (n->cancelled.load())
            return drop_comm(n, ST_ESTOPPED);
        sched_yield();
        if (ncclCommGetAsyncError(n->comm, &result) != ncclSuccess)
            result = ncclInternalError;
    }
    return result == ncclSuccess ? ST_OK : fail(n, result, call);
}

/* Wait until all work that was enqueued is complete. */
status_t finish(nccl_t *n, const char *call)
{
    status_t st = ST_OK;

    while (st == ST_OK) {
        const cudaError_t err = cudaEventQuery(n->done);
        ncclResult_t result;

        if (err == cudaSuccess)
            return ST_OK;
        if (err != cudaErrorNotReady)
            return drop_comm(n, cuda_try(err, call));
        if (n->cancelled.load())
            return drop_comm(n, ST_ESTOPPED);
        ncclCommGetAsyncError(n->comm, &result);
        if (result != ncclSuccess && result != ncclInProgress)
            st = fail(n, result, call);
        sched_yield();
    }
    return st;
}

/* May an operation begin?  The device is set for the calling thread. */
status_t begin(nccl_t *n)
{
    status_t st = ST_OK;

    if (n->cancelled.load())
        return drop_comm(n, ST_ESTOPPED);
    if (n->comm == nullptr)
        return ST_EPEER;
    if (!n->has_joined)
        st = settle(n, ncclInProgress, "ncclCommInitRankConfig");
    n->has_joined = true;
    return st == ST_OK ? CUDA_TRY(cudaSetDevice(n->device)) : st;
}

/* A rank's block for itself */
status_t copy_own(nccl_t *n, const collective_t *c, cudaStream_t stream)
{
    const int me = n->base.rank;

    if (c->kind != COLLECTIVE_ALLTOALLV || c->send_len[me] == 0)
        return ST_OK;
    return CUDA_TRY(cudaMemcpyAsync(static_cast<char *>(c->out) + c->recv_at[me],
                                    static_cast<const char *>(c->in) + c->send_at[me],
                                    static_cast<size_t>(c->send_len[me]),
                                    cudaMemcpyDeviceToDevice, stream));
}

void exchange(nccl_t *n, const collective_t *c, cudaStream_t stream)
{
    const char *from = static_cast<const char *>(c->in);
    char *to = static_cast<char *>(c->out);

    for (int r = 0; r < n->base.n_ranks; r++) {
        if (r != n->base.rank && c->send_len[r] > 0)
            ncclSend(from + c->send_at[r], static_cast<size_t>(c->send_len[r]), ncclUint8,
                     r, n->comm, stream);
        if (r != n->base.rank && c->recv_len[r] > 0)
            ncclRecv(to + c->recv_at[r], static_cast<size_t>(c->recv_len[r]), ncclUint8,
                     r, n->comm, stream);
    }
}

/* Within a group, whose end reports errors */
void call(nccl_t *n, const collective_t *c, cudaStream_t stream)
{
    static const ncclDataType_t types[] = {ncclInt64, ncclUint64, ncclFloat32,
                                           ncclFloat64};
    static const ncclRedOp_t ops[] = {ncclSum, ncclMin, ncclMax};
    const size_t count = static_cast<size_t>(c->n);

    switch (c->kind) {
    case COLLECTIVE_ALLREDUCE:
        if (count > 0)
            ncclAllReduce(c->in, c->out, count, types[c->type], ops[c->op], n->comm,
                          stream);
        break;
    case COLLECTIVE_ALLTOALLV:
        exchange(n, c, stream);
        break;
    case COLLECTIVE_BROADCAST:
        if (count > 0)
            ncclBroadcast(c->out, c->out, count, ncclUint8, c->root, n->comm, stream);
        break;
    case COLLECTIVE_BARRIER:
        ncclAllReduce(n->barrier_data, n->barrier_data, 1, ncclInt64, ncclMax, n->comm,
                      stream);
        break;
    }
}

/* Operations on one stream run behind those on others that were begun before. */
status_t enqueue(nccl_t *n, const collective_t *list, int count, cudaStream_t stream)
{
    status_t st = begin(n);

    if (st == ST_OK)
        st = CUDA_TRY(cudaStreamWaitEvent(stream, n->done, 0));
    for (int i = 0; st == ST_OK && i < count; i++)
        st = copy_own(n, &list[i], stream);
    if (st != ST_OK)
        return st;
    ncclGroupStart();
    for (int i = 0; i < count; i++)
        call(n, &list[i], stream);
    st = settle(n, ncclGroupEnd(), "ncclGroupEnd");
    return st == ST_OK ? CUDA_TRY(cudaEventRecord(n->done, stream)) : st;
}

status_t perform(gang_t *g, const collective_t *c, const char *name)
{
    const status_t st = enqueue(of(g), c, 1, of(g)->stream);

    return st == ST_OK ? finish(of(g), name) : st;
}

status_t nccl_allreduce(gang_t *g, const void *in, void *out, int64_t count,
                        gang_type_t type, gang_op_t op)
{
    collective_t c = {};

    c.kind = COLLECTIVE_ALLREDUCE;
    c.in = in;
    c.out = out;
    c.n = count;
    c.type = type;
    c.op = op;
    return perform(g, &c, "ncclAllReduce");
}

/* A broadcast per rank, all at once. */
status_t nccl_allgatherv(gang_t *g, const void *in, const int64_t *len, void *out,
                         const int64_t *at)
{
    nccl_t *n = of(g);
    status_t st = begin(n);

    if (st != ST_OK)
        return st;
    ncclGroupStart();
    for (int r = 0; r < g->n_ranks; r++) {
        char *to = static_cast<char *>(out) + at[r];

        if (len[r] > 0)
            ncclBroadcast(r == g->rank ? in : to, to, static_cast<size_t>(len[r]),
                          ncclUint8, r, n->comm, n->stream);
    }
    if ((st = settle(n, ncclGroupEnd(), "ncclBroadcast")) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(n->done, n->stream))) != ST_OK)
        return st;
    return finish(n, "ncclBroadcast");
}

status_t nccl_alltoallv(gang_t *g, const void *in, const int64_t *send_len,
                        const int64_t *send_at, void *out, const int64_t *recv_len,
                        const int64_t *recv_at)
{
    collective_t c = {};

    c.kind = COLLECTIVE_ALLTOALLV;
    c.in = in;
    c.out = out;
    c.send_len = send_len;
    c.send_at = send_at;
    c.recv_len = recv_len;
    c.recv_at = recv_at;
    return perform(g, &c, "ncclSend or ncclRecv");
}

status_t nccl_broadcast(gang_t *g, void *data, int64_t len, int root)
{
    collective_t c = {};

    c.kind = COLLECTIVE_BROADCAST;
    c.out = data;
    c.n = len;
    c.root = root;
    return perform(g, &c, "ncclBroadcast");
}

status_t nccl_barrier(gang_t *g)
{
    collective_t c = {};

    c.kind = COLLECTIVE_BARRIER;
    return perform(g, &c, "ncclAllReduce");
}

status_t nccl_begin(gang_t *g, const collective_t *list, int n, void *stream)
{
    return enqueue(of(g), list, n, static_cast<cudaStream_t>(stream));
}

status_t nccl_wait(gang_t *g)
{
    const status_t st = begin(of(g));

    return st == ST_OK ? finish(of(g), "operations that were begun") : st;
}

status_t nccl_alloc(gang_t *g, size_t len, void **out)
{
    void *data = nullptr;
    status_t st = CUDA_TRY(cudaSetDevice(of(g)->device));

    if (st == ST_OK)
        st = CUDA_TRY(cudaMalloc(&data, len + 1));
    if (st == ST_OK)
        *out = data;
    return st;
}

void nccl_free(gang_t *g, void *data)
{
    cudaSetDevice(of(g)->device);
    cudaFree(data);
}

status_t copy(gang_t *g, void *to, const void *from, size_t len, cudaMemcpyKind kind)
{
    nccl_t *n = of(g);
    status_t st = CUDA_TRY(cudaSetDevice(n->device));

    if (st == ST_OK)
        st = CUDA_TRY(cudaMemcpyAsync(to, from, len, kind, n->stream));
    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(n->stream)) : st;
}

status_t nccl_put(gang_t *g, void *to, const void *from, size_t len)
{
    return copy(g, to, from, len, cudaMemcpyHostToDevice);
}

status_t nccl_get(gang_t *g, void *to, const void *from, size_t len)
{
    return copy(g, to, from, len, cudaMemcpyDeviceToHost);
}

void nccl_cancel(gang_t *g)
{
    of(g)->cancelled.store(true);
}

/* An abort waits for nobody: other ranks may be gone. */
void nccl_destroy(gang_t *g)
{
    nccl_t *n = of(g);

    cudaSetDevice(n->device);
    drop_comm(n, ST_OK);
    cudaFree(n->barrier_data);
    if (n->done != nullptr)
        cudaEventDestroy(n->done);
    if (n->stream != nullptr)
        cudaStreamDestroy(n->stream);
    delete n;
}

void fill_table(gang_t *g, int rank, int n_ranks)
{
    *g = gang_t{};
    g->rank = rank;
    g->n_ranks = n_ranks;
    g->name = "nccl";
    g->memory = GANG_DEVICE;
    g->allreduce = nccl_allreduce;
    g->allgatherv = nccl_allgatherv;
    g->alltoallv = nccl_alltoallv;
    g->broadcast = nccl_broadcast;
    g->barrier = nccl_barrier;
    g->begin = nccl_begin;
    g->wait = nccl_wait;
    g->alloc = nccl_alloc;
    g->free = nccl_free;
    g->put = nccl_put;
    g->get = nccl_get;
    g->cancel = nccl_cancel;
    g->destroy = nccl_destroy;
}

/* Threads of NCCL complete it. */
status_t begin_to_join(nccl_t *n, const gang_nccl_id_t *id)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId unique;
    ncclResult_t result;

    config.blocking = 0;
    memcpy(&unique, id->bytes, sizeof(unique));
    result =
        ncclCommInitRankConfig(&n->comm, n->base.n_ranks, unique, n->base.rank, &config);
    return result == ncclInProgress || result == ncclSuccess
               ? ST_OK
               : fail(n, result, "ncclCommInitRankConfig");
}

} // namespace

extern "C" bool gang_nccl_is_built(void)
{
    return true;
}

extern "C" status_t gang_nccl_make_id(gang_nccl_id_t *out)
{
    ncclUniqueId unique;
    const ncclResult_t result = ncclGetUniqueId(&unique);

    if (result != ncclSuccess) {
        log_error("NCCL: ncclGetUniqueId: %s", ncclGetErrorString(result));
        return ST_EDEVICE;
    }
    memset(out->bytes, 0, sizeof(out->bytes));
    memcpy(out->bytes, &unique, sizeof(unique));
    return ST_OK;
}

extern "C" status_t gang_nccl_create(const device_t *device, int rank, int n_ranks,
                                     const gang_nccl_id_t *id, gang_t **out)
{
    nccl_t *n = new (std::nothrow) nccl_t{};
    status_t st;

    if (n == nullptr)
        return log_nomem("a gang");
    fill_table(&n->base, rank, n_ranks);
    n->device = device->index;
    if ((st = CUDA_TRY(cudaSetDevice(n->device))) == ST_OK &&
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&n->stream, cudaStreamNonBlocking))) ==
            ST_OK &&
        (st = CUDA_TRY(cudaEventCreateWithFlags(&n->done, cudaEventDisableTiming))) ==
            ST_OK &&
        (st = CUDA_TRY(cudaMalloc(&n->barrier_data, sizeof(int64_t)))) == ST_OK)
        st = begin_to_join(n, id);
    if (st != ST_OK) {
        nccl_destroy(&n->base);
        return st;
    }
    *out = &n->base;
    return ST_OK;
}
