/*
 * tiled_affine_batch.cu - divides a batch into pieces whose pairs fit the scratch memory
 * together, and runs the kernels of tiled_affine.cuh on each.
 */
#include "kernels/align/tiled/tiled_affine_batch.cuh"

#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/common/nw_reference.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

constexpr int64_t STRIPS_MAX = INT64_C(1) << 30; /* per piece: their counter is an int */

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t pairs, work;
    cuda_pinned_t host_pairs;
};

/* What a piece needs. */
struct piece_t {
    int64_t first, n_pairs, n_strips, n_columns, n_directions;
};

/* @return the arrays of a piece, which are not placed yet.  `next` is followed by
 * `progress`, and both are zeroed. */
cuda_scratch_t list_arrays(const piece_t &piece, tiled_affine_launch_t *out)
{
    cuda_scratch_t s = {};

    cuda_scratch_add(&s, &out->next, 1 + piece.n_strips);
    cuda_scratch_add(&s, &out->ends, piece.n_strips);
    cuda_scratch_add(&s, &out->lines, 2 * piece.n_columns);
    if (piece.n_directions > 0)
        cuda_scratch_add(&s, &out->directions, piece.n_directions);
    return s;
}

int kind_of(const align_spec_t *spec)
{
    return align_has_identity(spec) ? AFFINE_TABLE64 : AFFINE_TABLE32;
}

/* @return whether the query is the rows: for CIGARs as nw_reference.h demands; else the
 *         longer sequence, which makes more strips */
bool query_is_rows(const align_spec_t *spec, const seqset_t *set, pair_t pair)
{
    const int64_t m = seqset_len(set, pair.query), n = seqset_len(set, pair.target);

    return spec->emit == EMIT_CIGAR
               ? nw_reference_query_is_rows(seqset_letters(set, pair.query), m,
                                            seqset_letters(set, pair.target), n)
               : m >= n;
}

/* @return words of the directions of a pair of m rows and n columns */
int64_t count_directions(const align_spec_t *spec, int64_t m, int64_t n)
{
    return spec->emit == EMIT_CIGAR
               ? tiled_affine_strips(m) * tiled_affine_steps(n) * INT64_C(32)
               : 0;
}

/* Add pair k of a batch to a piece. */
tiled_affine_pair_t add_pair(const align_spec_t *spec, const seqset_t *set, pair_t pair,
                             int64_t k, piece_t *piece)
{
    const bool query_rows = query_is_rows(spec, set, pair);
    tiled_affine_pair_t p = {};

    p.row_sequence = query_rows ? pair.query : pair.target;
    p.column_sequence = query_rows ? pair.target : pair.query;
    p.m = static_cast<int>(seqset_len(set, p.row_sequence));
    p.n = static_cast<int>(seqset_len(set, p.column_sequence));
    p.index = static_cast<int>(k);
    p.mirrored = !query_rows;
    p.first_strip = static_cast<int>(piece->n_strips);
    p.line = piece->n_columns;
    p.directions = piece->n_directions;
    piece->n_pairs++;
    piece->n_strips += tiled_affine_strips(p.m);
    piece->n_columns += p.n;
    piece->n_directions += count_directions(spec, p.m, p.n);
    return p;
}

} // namespace

struct tiled_affine_batch_t {
    const align_spec_t *spec;
    const seqset_t *set;
    cuda_batch_t *batch;
    affine_layout_t layout;
    long long *table; /* [AFFINE_TABLE] on the device */
    int n_blocks;     /* of the sweeping kernel that the device holds */
    scratch_t scratch[CUDA_SLOTS];
};

namespace
{

/* Choose the layout for the longest sequence that one exists for. */
void choose_layout(tiled_affine_batch_t *b)
{
    const int64_t longest = seqset_max_len(b->set);

    affine_layout(kind_of(b->spec), b->spec,
                  affine_limit(kind_of(b->spec), b->spec, static_cast<int>(longest)),
                  &b->layout);
}

status_t put_table(tiled_affine_batch_t *b)
{
    int64_t table[AFFINE_TABLE];
    long long words[AFFINE_TABLE];

    affine_table(b->spec, b->layout, table);
    for (int i = 0; i < AFFINE_TABLE; i++)
        words[i] = table[i];
    return cuda_put_new(&b->table, words, AFFINE_TABLE);
}

/* Plan the piece whose first pair is `first`. @param out  [n_pairs] */
piece_t plan_piece(const tiled_affine_batch_t *b, const pair_batch_t *batch,
                   int64_t first, tiled_affine_pair_t *out)
{
    const size_t max_bytes = static_cast<size_t>(cuda_batch_scratch_bytes(b->batch)) / 2;
    piece_t piece = {first, 0, 0, 0, 0};
    tiled_affine_launch_t launch;

    for (int64_t k = first; k < batch->n && piece.n_strips < STRIPS_MAX; k++) {
        piece_t with = piece;
        const tiled_affine_pair_t pair =
            add_pair(b->spec, b->set, batch->pairs[k], k, &with);

        if (k > first && list_arrays(with, &launch).bytes > max_bytes)
            break;
        piece = with;
        out[k - first] = pair;
    }
    return piece;
}

/* Fill in what all pieces have in common. */
void fill_launch(const tiled_affine_batch_t *b, const cuda_work_t *work,
                 tiled_affine_launch_t *launch)
{
    rscan_launch_t *l = &launch->sweep.rounds;

    affine_launch_set(kind_of(b->spec), b->layout, &launch->sweep);
    l->set = *cuda_batch_set(b->batch);
    l->variant.identity = align_has_identity(b->spec);
    l->min_overlap = b->spec->min_overlap;
    l->score = work->score;
    l->matches = work->matches;
    l->columns = work->columns;
    launch->table = b->table;
    launch->column_ops = cuda_cigar_column_ops(b->spec);
    if (work->cigar == nullptr)
        return;
    launch->trace_start = work->cigar->trace_start;
    launch->n_runs = work->cigar->n_runs;
    launch->runs = work->cigar->runs;
}

/* Enqueue a piece. @param pairs  on the device */
status_t run_piece(const tiled_affine_batch_t *b, scratch_t *s, const piece_t &piece,
                   const tiled_affine_pair_t *pairs, tiled_affine_launch_t launch,
                   cudaStream_t stream)
{
    const int64_t warps_per_block = 4;
    const int64_t n_blocks = (piece.n_strips + warps_per_block - 1) / warps_per_block;
    const cuda_scratch_t arrays = list_arrays(piece, &launch);
    status_t st = cuda_scratch_reserve(&arrays, &s->work);

    if (st != ST_OK)
        return st;
    launch.pairs = pairs;
    launch.n_pairs = static_cast<int>(piece.n_pairs);
    launch.n_strips = static_cast<int>(piece.n_strips);
    launch.progress = launch.next + 1;
    if ((st = CUDA_TRY(cudaMemsetAsync(
             launch.next, 0, static_cast<size_t>(1 + piece.n_strips) * sizeof(int),
             stream))) != ST_OK)
        return st;
    return tiled_affine_run(kind_of(b->spec), launch,
                            static_cast<int>(n_blocks < b->n_blocks ? n_blocks
                                                                    : b->n_blocks),
                            stream);
}

} // namespace

bool tiled_affine_applies(const align_spec_t *spec)
{
    return align_is_affine(spec) || spec->ends == ENDS_QUERY ||
           spec->scoring.alphabet != ALPHABET_DNA;
}

bool tiled_affine_fits(const align_spec_t *spec, int64_t m, int64_t n, int64_t max_bytes)
{
    const int64_t longer = m > n ? m : n, shorter = m < n ? m : n;
    piece_t piece = {0, 1, tiled_affine_strips(longer), longer, 0};
    affine_layout_t layout;
    tiled_affine_launch_t launch;

    /* the rows are the longer sequence, or for CIGARs the shorter one */
    piece.n_directions = count_directions(spec, shorter, longer);
    return affine_layout(kind_of(spec), spec, longer, &layout) &&
           list_arrays(piece, &launch).bytes <= static_cast<size_t>(max_bytes);
}

status_t tiled_affine_create(const align_context_t *context, cuda_batch_t *batch,
                             tiled_affine_batch_t **out)
{
    tiled_affine_batch_t *b = static_cast<tiled_affine_batch_t *>(calloc(1, sizeof(*b)));
    status_t st;

    if (b == nullptr)
        return log_nomem("the tiled-dscan kernel");
    b->spec = context->spec;
    b->set = context->set;
    b->batch = batch;
    choose_layout(b);
    if ((st = put_table(b)) != ST_OK ||
        (st = tiled_affine_blocks(kind_of(b->spec), b->spec->emit == EMIT_CIGAR,
                                  context->device, &b->n_blocks)) != ST_OK) {
        tiled_affine_destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

status_t tiled_affine_submit(tiled_affine_batch_t *b, const cuda_work_t *work)
{
    const size_t bytes = static_cast<size_t>(work->n) * sizeof(tiled_affine_pair_t);
    scratch_t *s = &b->scratch[work->slot];
    tiled_affine_launch_t launch = {};
    status_t st;

    if ((st = cuda_pinned_reserve(&s->host_pairs, bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->pairs, bytes)) != ST_OK)
        return st;
    fill_launch(b, work, &launch);
    for (int64_t first = 0; st == ST_OK && first < work->n;) {
        tiled_affine_pair_t *host =
            static_cast<tiled_affine_pair_t *>(s->host_pairs.at) + first;
        tiled_affine_pair_t *pairs =
            static_cast<tiled_affine_pair_t *>(s->pairs.at) + first;
        const piece_t piece = plan_piece(b, work->batch, first, host);

        if ((st = CUDA_TRY(cudaMemcpyAsync(pairs, host,
                                           static_cast<size_t>(piece.n_pairs) *
                                               sizeof(tiled_affine_pair_t),
                                           cudaMemcpyHostToDevice, work->stream))) ==
            ST_OK)
            st = run_piece(b, s, piece, pairs, launch, work->stream);
        first += piece.n_pairs;
    }
    return st;
}

void tiled_affine_destroy(tiled_affine_batch_t *b)
{
    if (b == nullptr)
        return;
    for (scratch_t &s : b->scratch) {
        cuda_buffer_free(&s.pairs);
        cuda_buffer_free(&s.work);
        cuda_pinned_free(&s.host_pairs);
    }
    cudaFree(b->table);
    free(b);
}
