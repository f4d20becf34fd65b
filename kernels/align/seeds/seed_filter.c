/*
 * seed_filter.c - a table of the words that hit a query, and a ring of its diagonals.
 *
 * The words of a target are looked up one after the other.  What the last hit of each
 * diagonal was is in a ring: a diagonal has hits only while its query's residues last,
 * and the ring is longer by a window, so that a later diagonal of the same place sees a
 * hit that is too far away.  Targets follow each other at a distance for the same reason.
 */
#include "kernels/align/seeds/seed_filter.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Words are numbered by 5 bits per residue. */
enum { CODE_BITS = 5, N_WORDS = 1 << (SEED_WORD * CODE_BITS), NO_HIT = INT32_MIN / 2 };

/* Residues in a ring's numbers, and those of the longest protein; places of all words of
 * a query, of which a residue may have a hundred and more. */
enum { BASE_MAX = 1 << 28, PLACES_MAX = 1 << 26 };

/* Words of a target that are looked up before their hits are examined, at most, and their
 * hits, unless one word has more; hits that are written at once. */
enum { PIECE = 256, PIECE_HITS = 1 << 14, GROUP = 4 };

struct seed_filter {
    int8_t score[ALPHABET_SIZE][ALPHABET_SIZE];
    uint8_t order[ALPHABET_SIZE][PROTEIN_SIZE - 1]; /* codes, the best first */
    const uint8_t *query;
    int32_t m;      /* -1: too long, all targets pass */
    int32_t *start; /* [N_WORDS + 1] of the places of a word */
    int32_t *place; /* [place_capacity] in the query */
    int32_t piece;  /* words */
    /* the hits of a piece: [hits_capacity] places in the query, then in the target */
    int32_t *hits;
    int32_t *ring; /* [ring_mask + 1], a power of two */
    uint32_t ring_mask;
    int32_t base;
    size_t place_capacity, hits_capacity, ring_capacity;
};

/* ---- creating ---- */

static void sort_codes(seed_filter_t *f, int a)
{
    uint8_t *order = f->order[a];

    for (int n = 0; n < PROTEIN_SIZE - 1; n++) {
        const uint8_t code = (uint8_t)(n + 1);
        int at = n;

        for (; at > 0 && f->score[a][order[at - 1]] < f->score[a][code]; at--)
            order[at] = order[at - 1];
        order[at] = code;
    }
}

status_t seed_filter_create(const align_scoring_t *scoring, seed_filter_t **out)
{
    seed_filter_t *f = calloc(1, sizeof(*f));

    if (f == NULL || (f->start = malloc((N_WORDS + 1) * sizeof(*f->start))) == NULL) {
        free(f);
        return log_nomem("a filter of seeds");
    }
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++)
            f->score[a][b] = (int8_t)scoring->score[a][b];
    for (int a = 1; a < PROTEIN_SIZE; a++)
        sort_codes(f, a);
    *out = f;
    return ST_OK;
}

void seed_filter_destroy(seed_filter_t *f)
{
    if (f == NULL)
        return;
    free(f->start);
    free(f->place);
    free(f->hits);
    free(f->ring);
    free(f);
}

/* ---- a query ---- */

/* A place of the query, and what is done with words that hit there. */
typedef struct {
    seed_filter_t *filter;
    int32_t i;
    bool fills; /* else the words are counted */
} place_t;

static void take_word(const place_t *p, int word)
{
    int32_t *start = p->filter->start;

    if (p->fills)
        p->filter->place[start[word]++] = p->i;
    else
        start[word + 1]++;
}

/* Find the words that hit a place: in each column codes from the best on, as long as the
 * best of the columns behind it may reach the score. */
static void find_words(const place_t *p)
{
    const seed_filter_t *f = p->filter;
    const uint8_t *q = f->query + p->i;
    const int8_t *x = f->score[q[0]], *y = f->score[q[1]], *z = f->score[q[2]];
    const uint8_t *by_x = f->order[q[0]], *by_y = f->order[q[1]], *by_z = f->order[q[2]];
    const int need_x = SEED_WORD_SCORE - y[by_y[0]] - z[by_z[0]];

    for (int a = 0; a < PROTEIN_SIZE - 1 && x[by_x[a]] >= need_x; a++) {
        const int need_y = SEED_WORD_SCORE - x[by_x[a]] - z[by_z[0]];

        for (int b = 0; b < PROTEIN_SIZE - 1 && y[by_y[b]] >= need_y; b++) {
            const int need_z = SEED_WORD_SCORE - x[by_x[a]] - y[by_y[b]];
            const int word = (by_x[a] << CODE_BITS | by_y[b]) << CODE_BITS;

            for (int c = 0; c < PROTEIN_SIZE - 1 && z[by_z[c]] >= need_z; c++)
                take_word(p, word | by_z[c]);
        }
    }
}

static void find_all_words(seed_filter_t *f, bool fills)
{
    for (int32_t i = 0; i + SEED_WORD <= f->m; i++)
        find_words(&(place_t){f, i, fills});
}

/* Give an array at least n elements; what it had is lost. */
static void *renew(void *array, size_t n, size_t bytes, size_t *capacity)
{
    if (n <= *capacity)
        return array;
    free(array);
    array = malloc(n * bytes);
    *capacity = array != NULL ? n : 0;
    return array;
}

static status_t reserve(seed_filter_t *f)
{
    int32_t max = 1;
    size_t ring_size = 1;

    for (int k = 0; k < N_WORDS; k++)
        if (f->start[k + 1] - f->start[k] > max)
            max = f->start[k + 1] - f->start[k];
    f->piece = PIECE_HITS / max < 1       ? 1
               : PIECE_HITS / max < PIECE ? PIECE_HITS / max
                                          : PIECE;
    while ((int64_t)ring_size <= f->m + SEED_WINDOW)
        ring_size *= 2;
    f->ring_mask = (uint32_t)ring_size - 1;
    f->place = renew(f->place, (size_t)f->start[N_WORDS] + GROUP, sizeof(*f->place),
                     &f->place_capacity);
    f->hits = renew(f->hits, (size_t)f->piece * (size_t)max + GROUP, 2 * sizeof(*f->hits),
                    &f->hits_capacity);
    f->ring = renew(f->ring, ring_size, sizeof(*f->ring), &f->ring_capacity);
    return f->place == NULL || f->hits == NULL || f->ring == NULL
               ? log_nomem("a filter of seeds")
               : ST_OK;
}

static void clear_ring(seed_filter_t *f)
{
    for (uint32_t k = 0; k <= f->ring_mask; k++)
        f->ring[k] = NO_HIT;
    f->base = 0;
}

/* Count the places of words, and find where those of each begin.
 * @return whether they are not too many */
static bool count_places(seed_filter_t *f)
{
    memset(f->start, 0, (N_WORDS + 1) * sizeof(*f->start));
    find_all_words(f, false);
    for (int k = 0; k < N_WORDS; k++) {
        if (f->start[k + 1] > PLACES_MAX - f->start[k])
            return false;
        f->start[k + 1] += f->start[k];
    }
    return true;
}

status_t seed_filter_set(seed_filter_t *f, const uint8_t *query, int64_t m)
{
    status_t st;

    f->query = query;
    f->m = m <= BASE_MAX ? (int32_t)m : -1;
    if (!count_places(f)) {
        f->m = -1;
        return ST_OK;
    }
    if ((st = reserve(f)) != ST_OK)
        return st;
    find_all_words(f, true);
    memset(f->place + f->start[N_WORDS], 0, GROUP * sizeof(*f->place));
    /* each start is now that of the next word */
    memmove(f->start + 1, f->start, N_WORDS * sizeof(*f->start));
    f->start[0] = 0;
    clear_ring(f);
    return ST_OK;
}

/* ---- a target ---- */

/* Extend the word at i and j. @param end  out: behind the last residue looked at
 * @return whether the score suffices */
static bool extend(const seed_filter_t *f, int32_t i, const uint8_t *target, int32_t j,
                   int32_t n, int32_t *end)
{
    const int32_t columns = f->m - i < n - j ? f->m - i : n - j;
    const uint8_t *a = f->query + i, *b = target + j;
    int32_t best = f->score[a[0]][b[0]] + f->score[a[1]][b[1]] + f->score[a[2]][b[2]];
    int32_t score = best, k = SEED_WORD;

    for (; k < columns && best - score <= SEED_DROP; k++) {
        score += f->score[a[k]][b[k]];
        best = score > best ? score : best;
    }
    *end = j + k;
    score = best;
    for (k = -1; k >= -i && k >= -j && best - score <= SEED_DROP; k--) {
        score += f->score[a[k]][b[k]];
        best = score > best ? score : best;
    }
    return best >= SEED_TRIGGER;
}

/* Find the hits of words first .. end-1 of a target. @return their number */
static int32_t collect(const seed_filter_t *f, const uint8_t *target, int32_t first,
                       int32_t end)
{
    const int32_t *start = f->start, *place = f->place;
    int32_t *hit_i = f->hits, *hit_j = f->hits + f->hits_capacity, n = 0;
    uint32_t word = (uint32_t)target[first] << CODE_BITS | target[first + 1];

    for (int32_t j = first; j < end; j++) {
        int32_t p, left;

        word = (word << CODE_BITS | target[j + 2]) & (N_WORDS - 1);
        p = start[word];
        left = start[word + 1] - p;
        /* GROUP at once, some of which may be none: their number cannot be predicted */
        do {
            memcpy(hit_i + n, place + p, GROUP * sizeof(*place));
            for (int k = 0; k < GROUP; k++)
                hit_j[n + k] = j;
            p += GROUP;
            n += left < GROUP ? left : GROUP;
            left -= GROUP;
        } while (left > 0);
    }
    return n;
}

/* @return whether a pair of hits is extended far enough */
static bool examine(const seed_filter_t *f, int32_t n_hits, const uint8_t *target,
                    int32_t n)
{
    const int32_t *hit_i = f->hits, *hit_j = f->hits + f->hits_capacity;
    const uint32_t mask = f->ring_mask;
    const int32_t base = f->base;
    int32_t *ring = f->ring;

    for (int32_t k = 0; k < n_hits; k++) {
        const int32_t i = hit_i[k], j = hit_j[k], now = base + j;
        int32_t *last = &ring[(uint32_t)(j - i) & mask], end;
        const int32_t apart = now - *last;

        if (apart >= SEED_WORD && apart <= SEED_WINDOW) {
            if (extend(f, i, target, j, n, &end))
                return true;
            *last = base + end - SEED_WORD;
        } else {
            *last = apart > SEED_WINDOW ? now : *last;
        }
    }
    return false;
}

static bool target_passes(seed_filter_t *f, const uint8_t *target, int32_t n)
{
    const int32_t n_words = n - SEED_WORD + 1;

    for (int32_t j = 0; j < n_words; j += f->piece) {
        const int32_t end = n_words - j < f->piece ? n_words : j + f->piece;

        if (examine(f, collect(f, target, j, end), target, n))
            return true;
    }
    return false;
}

bool seed_filter_passes(seed_filter_t *f, const uint8_t *target, int64_t n)
{
    bool passes;

    if (f->m < 0 || n > BASE_MAX)
        return true;
    if (f->m < SEED_WORD || n < SEED_WORD)
        return false;
    if (f->base > BASE_MAX)
        clear_ring(f);
    passes = target_passes(f, target, (int32_t)n);
    f->base += (int32_t)n + SEED_WINDOW + 1;
    return passes;
}
