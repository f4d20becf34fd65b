/*
 * otu_case.h - six sequences in three OTUs and two samples: small enough to be checked by
 * eye.
 *
 *   sequence   0  1  2  3  4  5     abundance 1 9 4 2 9 1
 *   cluster    A  B  A  C  B  C     A 5, B 18, C 3: Otu1 is B, Otu2 is A, Otu3 is C
 */
#pragma once

#include "io/otu/otu_table.h"
#include "tests/support/unit_test.h"

#include <stdlib.h>
#include <string.h>

static const int32_t otu_case_label[] = {0, 4, 0, 5, 4, 5};
static const int64_t otu_case_size[] = {1, 9, 4, 2, 9, 1};

/* Sequence 0 is in the first sample, 2 and 5 are in the second, 1, 3 and 4 in both. */
static int64_t otu_case_row_start[] = {0, 1, 3, 4, 6, 8, 9};
static int32_t otu_case_sample[] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
static int64_t otu_case_count[] = {1, 4, 5, 4, 1, 1, 2, 7, 1};
static char *otu_case_sample_name[] = {(char *)(uintptr_t) "soil",
                                       (char *)(uintptr_t) "deep\tsea"};

static inline pairs_samples_t otu_case_samples(void)
{
    return (pairs_samples_t){.n = 2,
                             .name = otu_case_sample_name,
                             .row_start = otu_case_row_start,
                             .sample = otu_case_sample,
                             .count = otu_case_count};
}

static inline otu_table_t *otu_case_table(bool has_samples, int64_t min_size)
{
    static pairs_samples_t samples; /* the table borrows its names */
    otu_table_t *table = NULL;

    samples = has_samples ? otu_case_samples() : (pairs_samples_t){0};
    assert_int_equal(otu_table_create(6, otu_case_label, otu_case_size, &samples,
                                      min_size, &table),
                     ST_OK);
    return table;
}

/* Sequences "s0", "s1", ...; number i has i + 1 bases, all A. */
static inline seqset_t *otu_case_set(void)
{
    static const uint8_t letters[6] = {1, 1, 1, 1, 1, 1};
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;

    for (int i = 0; i < 6; i++) {
        char name[8];
        int len = snprintf(name, sizeof(name), "s%d", i);

        assert_int_equal(seqset_builder_add(&builder, name, (size_t)len, letters,
                                            (size_t)i + 1),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    return set;
}
