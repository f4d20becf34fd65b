/*
 * spelled_set.h - sequence sets written as text in a test.
 */
#pragma once

#include "io/seq/alphabet.h"
#include "io/seq/seqset.h"
#include "tests/support/unit_test.h"

#include <stdlib.h>
#include <string.h>

/* Make a set from names and sequences separated by blanks: "a ACGT b GATTACA". */
static inline seqset_t *spelled_set(const char *text)
{
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;
    uint8_t *codes = malloc(strlen(text) + 1);

    assert_non_null(codes);
    while (*text != '\0') {
        size_t name_len = strcspn(text, " "), len = strcspn(text + name_len + 1, " ");
        const char *letters = text + name_len + 1;

        for (size_t i = 0; i < len; i++) {
            codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)letters[i]);
            assert_int_not_equal(codes[i], CODE_NONE);
        }
        assert_int_equal(seqset_builder_add(&builder, text, name_len, codes, len), ST_OK);
        text = letters + len + (letters[len] == ' ');
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    free(codes);
    return set;
}

/* Check that a set equals spelled_set(text). */
static inline void assert_spells(const seqset_t *set, const char *text)
{
    seqset_t *want = spelled_set(text);

    assert_int_equal(set->n, want->n);
    for (int64_t i = 0; i < want->n; i++) {
        assert_string_equal(seqset_name(set, i), seqset_name(want, i));
        assert_int_equal(seqset_len(set, i), seqset_len(want, i));
        assert_memory_equal(seqset_letters(set, i), seqset_letters(want, i),
                            (size_t)seqset_len(want, i));
    }
    seqset_destroy(want);
}
