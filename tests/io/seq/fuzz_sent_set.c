/*
 * fuzz_sent_set.c - libFuzzer target: arbitrary bytes as the arrays of a set of two
 * sequences that another rank sends; what is taken can be read as a set.
 */
#include "io/seq/seqset.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

/* @return a sum that depends on all letters and names */
static size_t read_all(const seqset_t *set)
{
    size_t sum = 0;

    for (int64_t i = 0; i < set->n; i++) {
        sum += strlen(seqset_name(set, i));
        for (int64_t k = 0; k < seqset_len(set, i); k++) {
            if (seqset_letters(set, i)[k] >= alphabet_size(set->alphabet))
                abort();
            sum += seqset_letters(set, i)[k];
        }
    }
    return sum;
}

static seqset_t *make_set(void)
{
    static const uint8_t letters[] = {1, 2, 4};
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    seqset_t *set = NULL;

    if (seqset_builder_add(&b, "one", 3, letters, 3) != ST_OK ||
        seqset_builder_add(&b, "2", 1, letters, 1) != ST_OK ||
        seqset_builder_finish(&b, &set) != ST_OK)
        abort();
    seqset_builder_free(&b);
    return set;
}

static volatile size_t total; /* of what was read: it has to be computed */

/* The arrays as they are, with the bytes added to them: few bytes change little. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    seqset_t *set = make_set(), got = {.n = 0};
    arrays_spans_t from = {.head = {0}}, to = {.head = {0}};
    const array_span_t *there, *here;
    size_t n, at = 0;

    if (arrays_list(&seqset_arrays, set, true, &from) != ST_OK ||
        arrays_create(&seqset_arrays, from.head.data, from.head.len, &got, &to) != ST_OK)
        abort();
    there = arrays_spans(&from, &n);
    here = arrays_spans(&to, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < here[i].len; k++)
            ((uint8_t *)here[i].data)[k] = (uint8_t)(((const uint8_t *)there[i].data)[k] +
                                                     (at < len ? data[at++] : 0));
    fuzz_quiet();
    if (arrays_settle(&seqset_arrays, &to, &got) == ST_OK) {
        total += read_all(&got);
        arrays_free(&seqset_arrays, &got);
    }
    fuzz_loud();
    arrays_spans_free(&from);
    arrays_spans_free(&to);
    seqset_destroy(set);
    return 0;
}
