/*
 * nbc_cuda.cu - the backend "cuda": the matrix of a model on a GPU, and batches of reads.
 *
 * Two batches may be in flight, each with a stream and memory of its own, which grows on
 * demand.  The host finds the words of a batch while the GPU works on the one before.
 * The costs and draws of a batch would take much memory, so its kernels are enqueued
 * piece by piece and use the same scratch; results wait on the device for one copy.
 */
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/classify/cuda/nbc_kernel.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/classify/nbc_backend.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

/* Scratch of one batch, unless a single read needs more; and what a model leaves free. */
constexpr int64_t SCRATCH_BYTES = 256ll << 20, FREE_BYTES = 1ll << 30;
constexpr int64_t READS_PER_TASK = 32;

/* A batch in flight. */
struct slot_t {
    cudaStream_t stream;
    cudaEvent_t done;
    const nbc_batch_t *batch;
    cuda_buffer_t in, out, scratch;
    cuda_pinned_t host_in, host_out;
    nbc_device_read_t *reads; /* [n] in host_in, as the two below */
    int *order;               /* [n] of ascending shape */
    uint16_t *words;
    int64_t n_words; /* elements of words */
    size_t in_bytes;
};

struct nbc_cuda_t {
    nbc_context_t context;
    nbc_device_model_t model;
    nbc_shape_t shapes[NBC_SHAPES];
    nbc_words_set_t *sets; /* [threads] */
    slot_t slots[NBC_DEPTH];
    int n_begun, n_waited; /* batches so far */
};

bool takes(const nbc_context_t *context)
{
    return nbc_matrix_bytes(context->model->classes->n, NBC_N_WORDS) + FREE_BYTES <
           context->device->memory_bytes;
}

void free_slot(slot_t *s)
{
    if (s->stream != nullptr) {
        cudaStreamSynchronize(s->stream);
        cudaStreamDestroy(s->stream);
    }
    if (s->done != nullptr)
        cudaEventDestroy(s->done);
    cuda_buffer_free(&s->in);
    cuda_buffer_free(&s->out);
    cuda_buffer_free(&s->scratch);
    cuda_pinned_free(&s->host_in);
    cuda_pinned_free(&s->host_out);
}

void destroy(void *state)
{
    nbc_cuda_t *c = static_cast<nbc_cuda_t *>(state);

    if (c == nullptr)
        return;
    cudaSetDevice(c->context.device->index);
    for (slot_t &s : c->slots)
        free_slot(&s);
    cudaFree(const_cast<uint16_t *>(c->model.gains));
    cudaFree(const_cast<int *>(c->model.word_cost));
    cudaFree(const_cast<int64_t *>(c->model.class_rate));
    cudaFree(const_cast<int *>(c->model.lineage));
    free(c->sets);
    free(c);
}

/* Copy an array to the device. @param out  freed by destroy, on failure too */
template <typename T> status_t put(const T **out, const T *from, int64_t n)
{
    T *at = nullptr;
    const status_t st = cuda_put_new(&at, from, static_cast<size_t>(n));

    *out = at;
    return st;
}

status_t put_model(nbc_cuda_t *c)
{
    const nbc_classes_t *classes = c->context.model->classes;
    nbc_device_model_t *m = &c->model;
    nbc_matrix_t matrix;
    status_t st = nbc_matrix_of_model(c->context.model, c->context.pool, &matrix);

    if (st != ST_OK)
        return st;
    m->n_classes = classes->n;
    m->n_blocks = matrix.n_blocks;
    m->n_ranks = classes->n_ranks;
    m->n_safe = matrix.n_safe;
    st = put(&m->gains, matrix.gains,
             nbc_matrix_bytes(classes->n, NBC_N_WORDS) / (int64_t)sizeof(*matrix.gains));
    if (st == ST_OK)
        st = put(&m->word_cost, matrix.row_cost, NBC_N_WORDS);
    if (st == ST_OK)
        st = put(&m->class_rate, matrix.class_rate,
                 static_cast<int64_t>(m->n_blocks) * NBC_BLOCK);
    if (st == ST_OK)
        st = put(&m->lineage, classes->lineage,
                 static_cast<int64_t>(classes->n_ranks) * classes->n);
    nbc_matrix_free(&matrix);
    return st;
}

status_t create_slot(slot_t *s)
{
    const status_t st =
        CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));

    return st != ST_OK
               ? st
               : CUDA_TRY(cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming));
}

status_t create(const nbc_context_t *context, void **state)
{
    nbc_cuda_t *c = static_cast<nbc_cuda_t *>(calloc(1, sizeof(*c)));
    status_t st;

    if (c == nullptr)
        return log_nomem("a classifier");
    c->context = *context;
    c->sets = static_cast<nbc_words_set_t *>(
        calloc(static_cast<size_t>(pool_n_threads(context->pool)), sizeof(*c->sets)));
    st = c->sets != nullptr ? ST_OK : log_nomem("a classifier");
    if (st == ST_OK)
        st = CUDA_TRY(cudaSetDevice(context->device->index));
    if (st == ST_OK)
        st = nbc_kernel_shapes(context->device->index, c->shapes);
    for (int k = 0; st == ST_OK && k < NBC_DEPTH; k++)
        st = create_slot(&c->slots[k]);
    if (st == ST_OK)
        st = put_model(c);
    if (st != ST_OK) {
        destroy(c);
        return st;
    }
    *state = c;
    return ST_OK;
}

/* Divide the memory of what goes to the device; it looks the same there. */
void lay_out_input(slot_t *s, void *base, nbc_device_read_t **reads, int **order,
                   uint16_t **words)
{
    cuda_scratch_t arrays = {};

    cuda_scratch_add(&arrays, reads, s->batch->n);
    cuda_scratch_add(&arrays, order, s->batch->n);
    cuda_scratch_add(&arrays, words, s->n_words);
    cuda_scratch_place(&arrays, base);
    s->in_bytes = arrays.bytes;
}

/* Divide the memory of results; it looks the same on the host. @return its bytes */
size_t lay_out_results(int64_t n, int n_ranks, void *base, nbc_results_t *out)
{
    cuda_scratch_t arrays = {};

    cuda_scratch_add(&arrays, &out->best, n);
    cuda_scratch_add(&arrays, &out->support, n * n_ranks);
    cuda_scratch_add(&arrays, &out->rival, n * n_ranks);
    cuda_scratch_place(&arrays, base);
    return arrays.bytes;
}

status_t reserve_input(slot_t *s)
{
    const seqset_t *reads = s->batch->reads;
    status_t st;

    s->n_words = 0;
    for (int64_t i = 0; i < s->batch->n; i++)
        s->n_words +=
            NBC_STRANDS *
            nbc_round_picks(nbc_words_max(seqset_len(reads, s->batch->first + i)));
    lay_out_input(s, nullptr, &s->reads, &s->order, &s->words);
    if ((st = cuda_pinned_reserve(&s->host_in, s->in_bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->in, s->in_bytes)) != ST_OK)
        return st;
    lay_out_input(s, s->host_in.at, &s->reads, &s->order, &s->words);
    s->n_words = 0;
    for (int64_t i = 0; i < s->batch->n; i++)
        for (int64_t &first : s->reads[i].words) {
            first = s->n_words;
            s->n_words +=
                nbc_round_picks(nbc_words_max(seqset_len(reads, s->batch->first + i)));
        }
    return ST_OK;
}

struct find_t {
    nbc_cuda_t *c;
    slot_t *slot;
};

/* Find the words of some reads, in both orientations. */
void find_words(void *ctx, int64_t task, int thread)
{
    const find_t *f = static_cast<const find_t *>(ctx);
    const nbc_batch_t *batch = f->slot->batch;
    const nbc_options_t *options = &f->c->context.options;
    const int64_t first = task * READS_PER_TASK, left = batch->n - first;

    for (int64_t i = first; i < first + READS_PER_TASK && i < first + left; i++) {
        nbc_device_read_t *read = &f->slot->reads[i];
        uint16_t *words[NBC_STRANDS];

        for (int k = 0; k < NBC_STRANDS; k++)
            words[k] = f->slot->words + read->words[k];
        read->n_words = nbc_words_find(seqset_letters(batch->reads, batch->first + i),
                                       seqset_len(batch->reads, batch->first + i),
                                       &f->c->sets[thread], words[0]);
        read->n_draws = nbc_n_draws(read->n_words);
        if (options->both_strands)
            nbc_words_reverse(words[0], read->n_words, &f->c->sets[thread], words[1]);
        for (int k = 0; k < (options->both_strands ? NBC_STRANDS : 1); k++)
            read->key[k] = nbc_words_key(options->seed, words[k], read->n_words);
    }
}

int shape_of(const nbc_cuda_t *c, const nbc_device_read_t *read)
{
    int k = 0;

    while (read->n_words > c->shapes[k].max_words)
        k++;
    return k;
}

/* Order the reads by shape. */
void sort_reads(const nbc_cuda_t *c, slot_t *s)
{
    int64_t at[NBC_SHAPES + 1] = {};

    for (int64_t i = 0; i < s->batch->n; i++)
        at[shape_of(c, &s->reads[i]) + 1]++;
    for (int k = 0; k < NBC_SHAPES; k++)
        at[k + 1] += at[k];
    for (int64_t i = 0; i < s->batch->n; i++)
        s->order[at[shape_of(c, &s->reads[i])]++] = static_cast<int>(i);
}

/* A piece's reads and its scratch. */
struct extent_t {
    int64_t first, n; /* of the order */
    int64_t n_draws;  /* elements */
};

int64_t draws_of(const nbc_cuda_t *c, const nbc_device_read_t *read)
{
    return c->context.options.n_resamples * nbc_round_picks(read->n_draws);
}

int64_t scratch_of_read(const nbc_cuda_t *c)
{
    return static_cast<int64_t>(c->model.n_blocks) * NBC_BLOCK * NBC_STRANDS *
               static_cast<int64_t>(sizeof(int)) +
           static_cast<int64_t>(sizeof(nbc_key_t)) *
               (NBC_STRANDS + c->context.options.n_resamples);
}

/* Find the piece that begins at a position of the order. */
extent_t piece_at(const nbc_cuda_t *c, const slot_t *s, int64_t first)
{
    extent_t e = {first, 0, 0};

    while (first + e.n < s->batch->n) {
        const int64_t n_draws = draws_of(c, &s->reads[s->order[first + e.n]]);

        if (e.n > 0 &&
            (e.n + 1) * scratch_of_read(c) +
                    (e.n_draws + n_draws) * static_cast<int64_t>(sizeof(uint16_t)) >
                SCRATCH_BYTES)
            break;
        e.n++;
        e.n_draws += n_draws;
    }
    return e;
}

/* Divide the scratch of a piece. @return its bytes */
size_t lay_out_scratch(const nbc_cuda_t *c, const extent_t *e, void *base, nbc_piece_t *p)
{
    cuda_scratch_t arrays = {};

    cuda_scratch_add(&arrays, &p->cost,
                     e->n * NBC_STRANDS * c->model.n_blocks * NBC_BLOCK);
    cuda_scratch_add(&arrays, &p->best, e->n * NBC_STRANDS);
    cuda_scratch_add(&arrays, &p->winner, e->n * p->n_resamples);
    cuda_scratch_add(&arrays, &p->draws, e->n_draws);
    cuda_scratch_place(&arrays, base);
    return arrays.bytes;
}

/* Place the draws of every read in those of its piece, and make room for the largest
 * piece. */
status_t plan_pieces(const nbc_cuda_t *c, slot_t *s)
{
    size_t bytes = 0;

    for (int64_t first = 0; first < s->batch->n;) {
        const extent_t e = piece_at(c, s, first);
        nbc_piece_t p = {};
        int64_t draws = 0;
        size_t of_piece;

        for (int64_t i = first; i < first + e.n; i++) {
            nbc_device_read_t *read = &s->reads[s->order[i]];

            read->draws = draws;
            draws += draws_of(c, read);
        }
        p.n_resamples = c->context.options.n_resamples;
        of_piece = lay_out_scratch(c, &e, nullptr, &p);
        bytes = of_piece > bytes ? of_piece : bytes;
        first += e.n;
    }
    return cuda_buffer_reserve(&s->scratch, bytes);
}

/* Enqueue the resamples of a piece, shape by shape. */
status_t resample(const nbc_cuda_t *c, const slot_t *s, const nbc_piece_t *p,
                  const extent_t *e)
{
    status_t st = ST_OK;

    for (int64_t i = 0, end; st == ST_OK && i < e->n; i = end) {
        const int shape = shape_of(c, &s->reads[s->order[e->first + i]]);

        for (end = i + 1; end < e->n; end++)
            if (shape_of(c, &s->reads[s->order[e->first + end]]) != shape)
                break;
        st = nbc_kernel_resample(p, &c->shapes[shape], static_cast<int>(i),
                                 static_cast<int>(end - i), s->stream);
    }
    return st;
}

/* Enqueue the kernels of a batch. */
status_t run(const nbc_cuda_t *c, slot_t *s, nbc_piece_t *p)
{
    nbc_device_read_t *reads;
    int *order;
    uint16_t *words;
    status_t st = ST_OK;

    lay_out_input(s, s->in.at, &reads, &order, &words);
    p->model = c->model;
    p->reads = reads;
    p->words = words;
    p->n_strands = c->context.options.both_strands ? NBC_STRANDS : 1;
    p->n_resamples = c->context.options.n_resamples;
    for (int64_t first = 0; st == ST_OK && first < s->batch->n;) {
        const extent_t e = piece_at(c, s, first);

        lay_out_scratch(c, &e, s->scratch.at, p);
        p->order = order + first;
        p->n = static_cast<int>(e.n);
        st = nbc_kernel_words(p, s->stream);
        if (st == ST_OK)
            st = resample(c, s, p, &e);
        if (st == ST_OK)
            st = nbc_kernel_finish(p, s->stream);
        first += e.n;
    }
    return st;
}

status_t submit(void *state, const nbc_batch_t *batch)
{
    nbc_cuda_t *c = static_cast<nbc_cuda_t *>(state);
    slot_t *s = &c->slots[c->n_begun++ % NBC_DEPTH];
    const int n_ranks = c->model.n_ranks;
    find_t find = {c, s};
    nbc_results_t results;
    nbc_piece_t piece = {};
    size_t out_bytes;
    status_t st;

    s->batch = batch;
    if ((st = CUDA_TRY(cudaSetDevice(c->context.device->index))) != ST_OK ||
        (st = reserve_input(s)) != ST_OK)
        return st;
    pool_run(c->context.pool, (batch->n + READS_PER_TASK - 1) / READS_PER_TASK,
             find_words, &find);
    sort_reads(c, s);
    out_bytes = lay_out_results(batch->n, n_ranks, nullptr, &results);
    if ((st = plan_pieces(c, s)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->out, out_bytes)) != ST_OK ||
        (st = cuda_pinned_reserve(&s->host_out, out_bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(s->in.at, s->host_in.at, s->in_bytes,
                                       cudaMemcpyHostToDevice, s->stream))) != ST_OK)
        return st;
    (void)lay_out_results(batch->n, n_ranks, s->out.at, &results);
    piece.out_best = results.best;
    piece.support = results.support;
    piece.rival = results.rival;
    if ((st = run(c, s, &piece)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(s->host_out.at, s->out.at, out_bytes,
                                       cudaMemcpyDeviceToHost, s->stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(s->done, s->stream));
}

status_t wait(void *state, nbc_results_t *out)
{
    nbc_cuda_t *c = static_cast<nbc_cuda_t *>(state);
    slot_t *s = &c->slots[c->n_waited++ % NBC_DEPTH];
    const status_t st = CUDA_TRY(cudaEventSynchronize(s->done));

    if (st == ST_OK)
        (void)lay_out_results(s->batch->n, c->model.n_ranks, s->host_out.at, out);
    return st;
}

} // namespace

extern "C" const nbc_backend_t nbc_cuda_backend = {
    /* .base = */ {/* .name = */ "cuda", /* .kind = */ DEVICE_CUDA, /* .rate = */ 1e11},
    /* .takes = */ takes,
    /* .create = */ create,
    /* .submit = */ submit,
    /* .wait = */ wait,
    /* .destroy = */ destroy,
};
