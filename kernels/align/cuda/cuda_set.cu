/*
 * cuda_set.cu - sequences on a device.  A million genes are more than a thousand million
 * letters: they are laid out by all threads.
 */
#include "kernels/align/cuda/cuda_set.cuh"

#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "io/seq/alphabet.h"
}

#include <cstdlib>

namespace
{

/* Sequences that a thread takes at a time. */
constexpr int64_t TOGETHER = 256;

struct spreading_t {
    const seqset_t *set;
    const align_scoring_t *scoring;
    const long long *start; /* [n] */
    unsigned char *letters; /* out; NULL: not wanted */
    unsigned char *has_ambiguity;
};

/* The place of each sequence's first letter. @return bytes of all */
size_t lay_out(const seqset_t *set, long long *start, int *len)
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

void spread_one(const spreading_t *s, int64_t i)
{
    const uint8_t *letters = seqset_letters(s->set, i);
    const int64_t len = seqset_len(s->set, i);
    unsigned char bytes[ALPHABET_SIZE], codes[ALPHABET_SIZE], has = 0;

    for (int a = 0; a < ALPHABET_SIZE; a++) {
        bytes[a] = s->scoring->two_valued ? s->scoring->set_of[a]
                                          : static_cast<unsigned char>(a);
        codes[a] = !alphabet_is_base(bytes[a]);
    }
    for (int64_t k = 0; k < len; k++)
        has |= codes[letters[k]];
    s->has_ambiguity[i] = has;
    for (int64_t k = 0; k < len && s->letters != nullptr; k++)
        s->letters[s->start[i] + k] = bytes[letters[k]];
}

void spread_some(void *ctx, int64_t item, int)
{
    const spreading_t *s = static_cast<const spreading_t *>(ctx);

    for (int64_t i = item * TOGETHER; i < s->set->n && i < (item + 1) * TOGETHER; i++)
        spread_one(s, i);
}

/* Spread the letters of all sequences, and tell which have codes. */
void spread(pool_t *pool, spreading_t *s)
{
    pool_run(pool, (s->set->n + TOGETHER - 1) / TOGETHER, spread_some, s);
}

/* An array for the device, of what the host has. */
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
        bytes = lay_out(set, start, len);
        letters = static_cast<unsigned char *>(calloc(bytes, 1));
    }
    if (letters == nullptr) {
        log_nomem("the sequences");
    } else {
        spreading_t s = {set, scoring, start, letters, has_ambiguity};

        spread(pool, &s);
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
    spreading_t s = {set, scoring, nullptr, nullptr, has_ambiguity};

    if (has_ambiguity != nullptr)
        spread(pool, &s);
    return has_ambiguity;
}
