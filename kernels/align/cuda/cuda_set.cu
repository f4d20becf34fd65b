/*
 * cuda_set.cu - encodes a sequence set and copies it to a device.
 *
 * A million genes have more than 10^9 bases, so all threads of the pool encode them, a
 * piece at a time, while the piece before is copied.
 */
#include "kernels/align/cuda/cuda_set.cuh"

#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "io/seq/alphabet.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

/* Sequences that a thread encodes at a time. */
constexpr int64_t SEQUENCES_PER_TASK = 256;

/* A piece has at most PIECE_BYTES, or one sequence. */
constexpr long long PIECE_BYTES = 16 << 20;

/* Sequences first .. end-1 of a set. */
struct encoding_t {
    const seqset_t *set;
    const align_scoring_t *scoring;
    const long long *start; /* [n] */
    unsigned char *letters; /* out; may be NULL */
    long long letters_at;   /* where they are in the set's letters on the device */
    unsigned char *has_ambiguity;
    int64_t first, end;
};

/* Find where each sequence begins. @return bytes of all sequences */
size_t place_sequences(const seqset_t *set, long long *start, int *len)
{
    long long end = 0;

    for (int64_t i = 0; i < set->n; i++) {
        const long long letters = seqset_len(set, i);

        end += CUDA_SET_ALIGN + letters;
        end = (end + CUDA_SET_ALIGN - 1) / CUDA_SET_ALIGN * CUDA_SET_ALIGN;
        start[i] = end - letters;
        len[i] = static_cast<int>(letters);
    }
    return static_cast<size_t>(end) + CUDA_SET_ALIGN;
}

/* @return where the zeros before a sequence begin */
long long place_of(const encoding_t *s, int64_t i)
{
    return i == 0 ? 0 : s->start[i - 1] + seqset_len(s->set, i - 1);
}

void encode_sequence(const encoding_t *s, int64_t i)
{
    const uint8_t *letters = seqset_letters(s->set, i);
    const int64_t len = seqset_len(s->set, i);
    unsigned char bytes[ALPHABET_SIZE], ambiguous[ALPHABET_SIZE], any = 0;

    for (int a = 0; a < ALPHABET_SIZE; a++) {
        bytes[a] = s->scoring->set_of[a];
        ambiguous[a] = !alphabet_is_base(s->scoring->alphabet, bytes[a]);
    }
    for (int64_t k = 0; k < len; k++)
        any |= ambiguous[letters[k]];
    s->has_ambiguity[i] = any;
    if (s->letters == nullptr)
        return;

    const long long place = place_of(s, i);
    unsigned char *out = s->letters + (s->start[i] - s->letters_at);

    memset(s->letters + (place - s->letters_at), 0,
           static_cast<size_t>(s->start[i] - place));
    for (int64_t k = 0; k < len; k++)
        out[k] = bytes[letters[k]];
}

void run_task(void *ctx, int64_t task, int)
{
    const encoding_t *s = static_cast<const encoding_t *>(ctx);
    const int64_t first = s->first + task * SEQUENCES_PER_TASK;

    for (int64_t i = first; i < s->end && i < first + SEQUENCES_PER_TASK; i++)
        encode_sequence(s, i);
}

/* Encode a piece, and find the sequences with ambiguity codes. */
void encode(pool_t *pool, encoding_t *s)
{
    pool_run(pool, (s->end - s->first + SEQUENCES_PER_TASK - 1) / SEQUENCES_PER_TASK,
             run_task, s);
}

/* Encode the piece and start copying it. */
status_t upload_piece(cuda_stage_t *stage, pool_t *pool, encoding_t *s, unsigned char *to)
{
    const size_t bytes = static_cast<size_t>(place_of(s, s->end) - place_of(s, s->first));
    void *letters;
    const status_t st = cuda_stage_next(stage, bytes, &letters);

    if (st != ST_OK)
        return st;
    s->letters = static_cast<unsigned char *>(letters);
    s->letters_at = place_of(s, s->first);
    encode(pool, s);
    return cuda_stage_copy(stage, to + s->letters_at, bytes);
}

/* Encode sequences from s.first on and copy them, a piece at a time. */
status_t upload_pieces(cuda_stage_t *stage, pool_t *pool, encoding_t s, int64_t end,
                       unsigned char *to)
{
    status_t st = ST_OK;

    for (; st == ST_OK && s.first < end; s.first = s.end) {
        s.end = s.first + 1;
        while (s.end < end &&
               place_of(&s, s.end + 1) - place_of(&s, s.first) <= PIECE_BYTES)
            s.end++;
        st = upload_piece(stage, pool, &s, to);
    }
    return st;
}

/* Encode and copy all sequences. */
status_t upload_letters(pool_t *pool, encoding_t s, unsigned char *to)
{
    cuda_stage_t stage = {};
    status_t st =
        CUDA_TRY(cudaStreamCreateWithFlags(&stage.stream, cudaStreamNonBlocking));
    const cudaStream_t stream = stage.stream;

    if (st == ST_OK)
        st = upload_pieces(&stage, pool, s, s.set->n, to);
    if (st == ST_OK)
        st = CUDA_TRY(cudaStreamSynchronize(stream));
    if (stream != nullptr) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cuda_stage_free(&stage);
    return st;
}

/* Copy an array to the device. */
template <typename T> status_t put(const T **out, const T *from, size_t n)
{
    T *to = nullptr;
    const status_t st = cuda_put_new(&to, from, n);

    *out = to;
    return st;
}

} // namespace

status_t cuda_set_create(pool_t *pool, const seqset_t *set,
                         const align_scoring_t *scoring, cuda_set_t *out)
{
    const size_t n = static_cast<size_t>(set->n);
    long long *start = static_cast<long long *>(calloc(n + 1, sizeof(*start)));
    int *len = static_cast<int *>(calloc(n + 1, sizeof(*len)));
    unsigned char *has_ambiguity = static_cast<unsigned char *>(calloc(n + 1, 1));
    unsigned char *letters = nullptr;
    status_t st;

    *out = cuda_set_t{};
    if (start == nullptr || len == nullptr || has_ambiguity == nullptr) {
        st = log_nomem("the sequences");
    } else {
        const size_t bytes = place_sequences(set, start, len), behind = CUDA_SET_ALIGN;
        const encoding_t s = {set, scoring, start, nullptr, 0, has_ambiguity, 0, 0};

        st = CUDA_TRY(cudaMalloc(&letters, bytes + 1));
        out->letters = letters;
        if (st == ST_OK && (st = upload_letters(pool, s, letters)) == ST_OK &&
            (st = cuda_put_done(
                 CUDA_TRY(cudaMemset(letters + bytes - behind, 0, behind)))) == ST_OK &&
            (st = put(&out->start, start, n + 1)) == ST_OK &&
            (st = put(&out->len, len, n + 1)) == ST_OK)
            st = put(&out->has_ambiguity, has_ambiguity, n + 1);
    }
    if (st != ST_OK)
        cuda_set_free(out);
    free(start);
    free(len);
    free(has_ambiguity);
    return st;
}

void cuda_set_free(cuda_set_t *set)
{
    cudaFree(const_cast<unsigned char *>(set->letters));
    cudaFree(const_cast<long long *>(set->start));
    cudaFree(const_cast<int *>(set->len));
    cudaFree(const_cast<unsigned char *>(set->has_ambiguity));
    *set = cuda_set_t{};
}

status_t cuda_letters_create(pool_t *pool, const seqset_t *set,
                             const align_scoring_t *scoring, cuda_set_t *out,
                             cuda_letters_t *letters)
{
    const size_t n = static_cast<size_t>(set->n);
    int *len = static_cast<int *>(calloc(n + 1, sizeof(*len)));
    unsigned char *none = nullptr;
    status_t st;

    *out = cuda_set_t{};
    *letters = cuda_letters_t{};
    letters->pool = pool;
    letters->set = set;
    letters->scoring = scoring;
    letters->start = static_cast<long long *>(calloc(n + 1, sizeof(*letters->start)));
    letters->has_ambiguity = static_cast<unsigned char *>(calloc(n + 1, 1));
    if (len == nullptr || letters->start == nullptr ||
        letters->has_ambiguity == nullptr) {
        st = log_nomem("the sequences");
    } else {
        place_sequences(set, letters->start, len);
        st = CUDA_TRY(
            cudaStreamCreateWithFlags(&letters->stage.stream, cudaStreamNonBlocking));
        if (st == ST_OK && (st = put(&out->start, letters->start, n + 1)) == ST_OK &&
            (st = put(&out->len, len, n + 1)) == ST_OK)
            st = cuda_put_zeros(&none, n + 1);
        out->has_ambiguity = none;
    }
    free(len);
    return st;
}

/* @return the encoding of sequences first .. end-1 */
static encoding_t encoding_of(const cuda_letters_t *l, int64_t first, int64_t end)
{
    return {l->set, l->scoring, l->start, nullptr, 0, l->has_ambiguity, first, end};
}

size_t cuda_letters_bytes(const cuda_letters_t *l, int64_t first, int64_t end)
{
    const encoding_t s = encoding_of(l, first, end);

    return static_cast<size_t>(place_of(&s, end) - place_of(&s, first));
}

status_t cuda_letters_put(cuda_letters_t *l, int64_t first, int64_t end, void *to,
                          cudaStream_t stream, const unsigned char **out)
{
    encoding_t s = encoding_of(l, first, end);
    unsigned char *const letters = static_cast<unsigned char *>(to) - place_of(&s, first);
    const status_t st = upload_pieces(&l->stage, l->pool, s, end, letters);

    *out = letters;
    return st == ST_OK ? cuda_stage_join(&l->stage, stream) : st;
}

void cuda_letters_free(cuda_letters_t *l)
{
    const cudaStream_t stream = l->stage.stream;

    if (stream != nullptr)
        cudaStreamSynchronize(stream);
    cuda_stage_free(&l->stage);
    if (stream != nullptr)
        cudaStreamDestroy(stream);
    free(l->start);
    free(l->has_ambiguity);
    *l = cuda_letters_t{};
}

unsigned char *cuda_set_ambiguity(pool_t *pool, const seqset_t *set,
                                  const align_scoring_t *scoring)
{
    unsigned char *has_ambiguity =
        static_cast<unsigned char *>(calloc(static_cast<size_t>(set->n) + 1, 1));
    encoding_t s = {set, scoring, nullptr, nullptr, 0, has_ambiguity, 0, set->n};

    if (has_ambiguity != nullptr)
        encode(pool, &s);
    return has_ambiguity;
}
