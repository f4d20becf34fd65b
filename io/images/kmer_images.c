/*
 * kmer_images.c - counts k-mers into images.
 */
#include "io/images/image_read.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <stdlib.h>
#include <string.h>

enum { N_VALUES = KMER_IMAGES_SIDE * KMER_IMAGES_SIDE };

/* Codes of alphabet.h; the corners are A C above T G. */
enum { DNA_C = 2, DNA_G = 4, DNA_T = 8 };

void kmer_images_draw(const uint8_t *letters, int64_t len, float *out)
{
    unsigned row = 0, column = 0;
    int64_t n = 0, n_bases = 0;

    memset(out, 0, N_VALUES * sizeof(*out));
    for (int64_t i = 0; i < len; i++) {
        const uint8_t code = letters[i];
        const unsigned is_lower = code == DNA_G || code == DNA_T;
        const unsigned is_right = code == DNA_C || code == DNA_G;

        /* Each of the last k bases gives one bit to either number; the last base gives
         * the highest one. */
        row = row >> 1 | is_lower << (KMER_IMAGES_K - 1);
        column = column >> 1 | is_right << (KMER_IMAGES_K - 1);
        n_bases = alphabet_is_base(ALPHABET_DNA, code) ? n_bases + 1 : 0;
        if (n_bases >= KMER_IMAGES_K) {
            out[row * KMER_IMAGES_SIDE + column]++;
            n++;
        }
    }
    for (int k = 0; n > 0 && k < N_VALUES; k++)
        out[k] *= (float)N_VALUES / (float)n;
}

status_t kmer_images_make(const seqset_t *set, image_set_t *out)
{
    image_set_t images = {.n = set->n, .size = {1, KMER_IMAGES_SIDE, KMER_IMAGES_SIDE}};

    images.values = malloc((size_t)set->n * N_VALUES * sizeof(*images.values) + 1);
    if (images.values == NULL)
        return log_nomem("images of k-mers");
    for (int64_t i = 0; i < set->n; i++)
        kmer_images_draw(seqset_letters(set, i), seqset_len(set, i),
                         images.values + i * N_VALUES);
    *out = images;
    return ST_OK;
}
