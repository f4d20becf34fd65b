/*
 * base_planes.c - 64 codes at a time become a word of each plane.
 */
#include "io/seq/base_planes.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { WORD = 64 };

ARRAY_COUNT(n_firsts, base_planes_t, o->n + 1)
ARRAY_COUNT(n_sequences, base_planes_t, o->n)
ARRAY_COUNT(n_all_words, base_planes_t, BASE_PLANES * o->n_words)

static bool is_valid(const void *object)
{
    const base_planes_t *p = object;

    return p->n >= 0 && p->n < INT64_MAX && p->n_words >= 0 &&
           p->n_words <= INT64_MAX / BASE_PLANES;
}

static const array_t rows[] = {ARRAY_VALUE(base_planes_t, n, ARRAY_INT64),
                               ARRAY_VALUE(base_planes_t, n_words, ARRAY_INT64),
                               ARRAY_OF(base_planes_t, first_word, ARRAY_INT64, n_firsts),
                               ARRAY_OF(base_planes_t, len, ARRAY_INT32, n_sequences),
                               ARRAY_OF(base_planes_t, words, ARRAY_INT64, n_all_words),
                               ARRAYS_END};

const arrays_t base_planes_arrays = {"sequences as bit planes", sizeof(base_planes_t),
                                     rows, is_valid};

status_t base_planes_create(int64_t n, const int32_t *len, base_planes_t *out)
{
    base_planes_t p = {.n = n};

    p.first_word = malloc(((size_t)n + 1) * sizeof(*p.first_word));
    p.len = malloc(((size_t)n + 1) * sizeof(*p.len));
    if (p.first_word == NULL || p.len == NULL)
        goto fail;
    memcpy(p.len, len, (size_t)n * sizeof(*p.len));
    p.first_word[0] = 0;
    for (int64_t i = 0; i < n; i++)
        p.first_word[i + 1] = p.first_word[i] + (len[i] + (int64_t)WORD - 1) / WORD;
    p.n_words = p.first_word[n] + BASE_PLANES_PAD;
    p.words = buf_alloc_pages((size_t)p.n_words * BASE_PLANES * sizeof(*p.words));
    if (p.words == NULL)
        goto fail;
    for (int b = 0; b < BASE_PLANES; b++)
        memset(base_planes_plane(&p, b) + p.first_word[n], 0xff,
               BASE_PLANES_PAD * sizeof(*p.words));
    *out = p;
    return ST_OK;
fail:
    base_planes_free(&p);
    return log_nomem("sequences as bit planes");
}

void base_planes_free(base_planes_t *p)
{
    arrays_free(&base_planes_arrays, p);
}

/* ---- a word of each plane ---- */

#ifdef __SSE2__
enum { STEP = 16 };

static void pack_step(const uint8_t *codes, int at, uint64_t word[BASE_PLANES])
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(codes + at));

    for (int b = 0; b < BASE_PLANES; b++)
        word[b] |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_slli_epi16(x, 7 - b)) << at;
}

/* Most letters are A, C, G or T. @return whether all of these are */
static bool pack_letters(const char *letters, int at, uint64_t word[BASE_PLANES])
{
    static const char bases[BASE_PLANES] = {'a', 'c', 'g', 't'};
    const __m128i x =
        _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)(letters + at)),
                     _mm_set1_epi8(0x20)); /* lower case; no other byte becomes a base */
    unsigned known = 0;

    for (int b = 0; b < BASE_PLANES; b++) {
        const unsigned is_base =
            (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(bases[b])));

        known |= is_base;
        word[b] |= (uint64_t)is_base << at;
    }
    return known == 0xffff;
}
#else
enum { STEP = 8 };

static void pack_step(const uint8_t *codes, int at, uint64_t word[BASE_PLANES])
{
    for (int i = at; i < at + STEP; i++)
        for (int b = 0; b < BASE_PLANES; b++)
            word[b] |= (uint64_t)(codes[i] >> b & 1) << i;
}

static bool pack_letters(const char *letters, int at, uint64_t word[BASE_PLANES])
{
    (void)letters;
    (void)at;
    (void)word;
    return false;
}
#endif

static void store(base_planes_t *p, int64_t at, const uint64_t word[BASE_PLANES])
{
    for (int b = 0; b < BASE_PLANES; b++)
        base_planes_plane(p, b)[at] = word[b];
}

/* @param codes  [WORD] */
static void pack_word(base_planes_t *p, int64_t at, const uint8_t *codes)
{
    uint64_t word[BASE_PLANES] = {0};

    for (int i = 0; i < WORD; i += STEP)
        pack_step(codes, i, word);
    store(p, at, word);
}

/* The n last codes of a sequence, which N follows. */
static void pack_end(base_planes_t *p, int64_t at, const uint8_t *codes, int n)
{
    uint8_t padded[WORD];

    memset(padded, CODE_N, sizeof(padded));
    memcpy(padded, codes, (size_t)n);
    pack_word(p, at, padded);
}

void base_planes_set(base_planes_t *p, int64_t i, const uint8_t *codes)
{
    int64_t at = p->first_word[i];
    int32_t k = 0;

    for (; k + WORD <= p->len[i]; k += WORD)
        pack_word(p, at++, codes + k);
    if (k < p->len[i])
        pack_end(p, at, codes + k, p->len[i] - k);
}

/* Translate n <= WORD letters. @return the first that is no nucleotide, or -1 */
static int translate(const char *letters, int n, uint8_t *codes)
{
    for (int i = 0; i < n; i++)
        if ((codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)letters[i])) ==
            CODE_NONE)
            return i;
    return -1;
}

/* Pack n <= WORD letters, which N follows. @return whether all of them are bases */
static bool pack_bases(const char *letters, int n, uint64_t word[BASE_PLANES])
{
    char padded[WORD];
    bool are_bases = true;

    if (n < WORD) {
        memset(padded, 'A', sizeof(padded));
        letters = memcpy(padded, letters, (size_t)n);
    }
    for (int s = 0; are_bases && s < WORD; s += STEP)
        are_bases = pack_letters(letters, s, word);
    for (int b = 0; n < WORD && b < BASE_PLANES; b++)
        word[b] |= ~UINT64_C(0) << n;
    return are_bases;
}

int32_t base_planes_set_letters(base_planes_t *p, int64_t i, const char *letters)
{
    const int32_t len = p->len[i];
    int64_t at = p->first_word[i];

    for (int32_t k = 0; k < len; k += WORD, at++) {
        const int n = len - k < WORD ? len - k : WORD;
        uint64_t word[BASE_PLANES] = {0};
        uint8_t codes[WORD];
        int bad;

        if (pack_bases(letters + k, n, word)) {
            store(p, at, word);
            continue;
        }
        if ((bad = translate(letters + k, n, codes)) >= 0)
            return k + bad;
        pack_end(p, at, codes, n);
    }
    return -1;
}

status_t base_planes_of_set(const seqset_t *set, base_planes_t *out)
{
    int32_t *len = malloc(((size_t)set->n + 1) * sizeof(*len));
    status_t st = len != NULL ? ST_OK : log_nomem("sequences as bit planes");

    for (int64_t i = 0; st == ST_OK && i < set->n; i++)
        len[i] = (int32_t)seqset_len(set, i);
    if (st == ST_OK)
        st = base_planes_create(set->n, len, out);
    for (int64_t i = 0; st == ST_OK && i < set->n; i++)
        base_planes_set(out, i, seqset_letters(set, i));
    free(len);
    return st;
}

uint8_t base_planes_code(const base_planes_t *p, int64_t i, int64_t at)
{
    const int64_t word = p->first_word[i] + at / WORD;
    unsigned code = 0;

    for (int b = 0; b < BASE_PLANES; b++)
        code |= (unsigned)(base_planes_plane(p, b)[word] >> at % WORD & 1) << b;
    return (uint8_t)code;
}
