/*
 * primer_region.c - search by comparison at every place: primers are short.
 */
#include "io/seq/primer_region.h"

#include <string.h>

static const struct {
    const char *name, *bases;
} primers[] = {{"27F", "AGAGTTTGATYMTGGCTCAG"},    {"341F", "CCTACGGGNGGCWGCAG"},
               {"515F", "GTGYCAGCMGCCGCGGTAA"},    {"785R", "GACTACHVGGGTATCTAATCC"},
               {"806R", "GGACTACNVGGGTWTCTAAT"},   {"907R", "CCGTCAATTCMTTTRAGTTT"},
               {"926R", "CCGYCAATTYMTTTRAGTTT"},   {"1391R", "GACGGGCGGTGWGTRCA"},
               {"1492R", "TACGGYTACCTTGTTACGACTT"}};

enum { N_PRIMERS = sizeof(primers) / sizeof(primers[0]) };

/* @return the length, or 0 if the text is no primer */
static int parse_primer(const char *text, size_t len, uint8_t *out)
{
    for (int i = 0; i < N_PRIMERS; i++)
        if (strlen(primers[i].name) == len && strncmp(primers[i].name, text, len) == 0)
            return parse_primer(primers[i].bases, strlen(primers[i].bases), out);
    if (len > PRIMER_LEN_MAX)
        return 0;
    for (size_t i = 0; i < len; i++) {
        out[i] = alphabet_code(ALPHABET_DNA, (unsigned char)text[i]);
        if (out[i] == CODE_NONE)
            return 0;
    }
    return (int)len;
}

bool primer_region_parse(const char *text, primer_region_t *out)
{
    const char *slash = strchr(text, '/');
    uint8_t reverse[PRIMER_LEN_MAX];

    if (slash == NULL)
        return false;
    out->max_mismatches = 0;
    out->forward_len = parse_primer(text, (size_t)(slash - text), out->forward);
    out->reverse_len = parse_primer(slash + 1, strlen(slash + 1), reverse);
    for (int i = 0; i < out->reverse_len; i++)
        out->reverse[i] = alphabet_complement(reverse[out->reverse_len - 1 - i]);
    return out->forward_len > 0 && out->reverse_len > 0;
}

/*
 * Find the place >= from with the fewest mismatches, and the first such place.
 *
 * @param n_mismatches  in: the largest number allowed; out: that of the place
 * @return the place, or -1
 */
static int64_t find(const uint8_t *primer, int primer_len, const uint8_t *letters,
                    int64_t len, int64_t from, int *n_mismatches)
{
    int64_t best = -1;
    int max = *n_mismatches;

    for (int64_t at = from; at + primer_len <= len && max >= 0; at++) {
        int n = 0;

        for (int i = 0; i < primer_len && n <= max; i++)
            n += (letters[at + i] & ~primer[i]) != 0;
        if (n <= max) {
            best = at;
            *n_mismatches = n;
            max = n - 1; /* others have to be better */
        }
    }
    return best;
}

bool primer_region_find(const primer_region_t *region, const uint8_t *letters,
                        int64_t len, primer_hit_t *out)
{
    int n_forward = region->max_mismatches, n_reverse = region->max_mismatches;
    const int64_t first =
        find(region->forward, region->forward_len, letters, len, 0, &n_forward);
    int64_t last;

    if (first < 0)
        return false;
    last = find(region->reverse, region->reverse_len, letters, len,
                first + region->forward_len, &n_reverse);
    if (last <= first + region->forward_len)
        return false;
    *out = (primer_hit_t){first + region->forward_len, last, n_forward + n_reverse};
    return true;
}
