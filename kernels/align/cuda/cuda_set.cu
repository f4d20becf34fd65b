/*
 * cuda_set.cu - encodes a sequence set and copies it to a device.
 *
 * A million genes have more than 10^9 bases, so all threads of the pool encode them.
 */
#include "kernels/align/cuda/cuda_set.cuh"

#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "io/seq/alphabet.h"
}

#include <cstdlib>

namespace
{

/* Sequences that a thread encodes at a time. */
constexpr int64_t SEQUENCES_PER_TASK = 256;

struct encoding_t {
    const seqset_t *set;
    const align_scoring_t *scoring;
    const long long *start; /* [n] */
    unsigned char *letters; /* out; may be NULL */
    unsigned char *has_ambiguity;
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
    for (int64_t k = 0; k < len && s->letters != nullptr; k++)
        s->letters[s->start[i] + k] = bytes[letters[k]];
}

void run_task(void *ctx, int64_t task, int)
{
    const encoding_t *s = static_cast<const encoding_t *>(ctx);
    const int64_t first = task * SEQUENCES_PER_TASK;

    for (int64_t i = first; i < s->set->n && i < first + SEQUENCES_PER_TASK; i++)
        encode_sequence(s, i);
}

/* Encode all sequences, and find those with ambiguity codes. */
void encode(pool_t *pool, encoding_t *s)
{
    pool_run(pool, (s->set->n + SEQUENCES_PER_TASK - 1) / SEQUENCES_PER_TASK, run_task,
             s);
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
    status_t st = ST_ENOMEM;
    size_t bytes = 0;

    *out = cuda_set_t{};
    if (start != nullptr && len != nullptr && has_ambiguity != nullptr) {
        bytes = place_sequences(set, start, len);
        letters = static_cast<unsigned char *>(calloc(bytes, 1));
    }
    if (letters == nullptr) {
        log_nomem("the sequences");
    } else {
        encoding_t s = {set, scoring, start, letters, has_ambiguity};

        encode(pool, &s);
        if ((st = put(&out->letters, letters, bytes)) == ST_OK &&
            (st = put(&out->start, start, n + 1)) == ST_OK &&
            (st = put(&out->len, len, n + 1)) == ST_OK)
            st = put(&out->has_ambiguity, has_ambiguity, n + 1);
    }
    if (st != ST_OK)
        cuda_set_free(out);
    free(start);
    free(len);
    free(has_ambiguity);
    free(letters);
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

unsigned char *cuda_set_ambiguity(pool_t *pool, const seqset_t *set,
                                  const align_scoring_t *scoring)
{
    unsigned char *has_ambiguity =
        static_cast<unsigned char *>(calloc(static_cast<size_t>(set->n) + 1, 1));
    encoding_t s = {set, scoring, nullptr, nullptr, has_ambiguity};

    if (has_ambiguity != nullptr)
        encode(pool, &s);
    return has_ambiguity;
}
