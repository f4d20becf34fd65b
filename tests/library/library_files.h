/*
 * library_files.h - sequences, their pairs, files and a model for tests of the library.
 */
#pragma once

#include "io/modelfile/class_model.h"
#include "tests/library/library_case.h"

#include <stdlib.h>
#include <unistd.h>

static const char six[] = "ACGTACGTACGTAC ACGTACGTACGTAC ACGTACGAACGTAC TTTTGGGGCCCCAA "
                          "TTTTGGGGCCCCAAA TTTTGAGGCCCCAA";

enum { TEMP_PATH_BYTES = 40 };

/* Make the name of a file, which there is. */
static inline void new_path(char path[TEMP_PATH_BYTES])
{
    int fd;

    strcpy(path, "/tmp/ribogrid_files_XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

/* @return all pairs of a set */
static inline rg_result_t *align_all(rg_context_t *context, const rg_set_t *set)
{
    rg_align_options_t options = defaults();
    rg_result_t *result = NULL;
    rg_aligner_t *aligner;

    options.emit = "cigar";
    aligner = new_aligner(context, set, NULL, &options);
    assert_int_equal(rg_aligner_all(aligner, &result), RG_OK);
    rg_aligner_destroy(aligner);
    return result;
}

static const char *const lineages[] = {"Bacteria;One", "Bacteria;Two"};
static const char two[] = "ACGTACGTTAGCATCGATCGGATCTAGCTAGGATC "
                          "TTGGCCAATTGGACACACTTTGGCCCAAATTTGGG";

/* Write a model of a reference for each lineage. */
static inline void write_model(const char *path)
{
    seqset_builder_t builder = {.alphabet = ALPHABET_DNA};
    const class_run_t run = {.info = {.program = "",
                                      .command = "",
                                      .input = "",
                                      .started = "",
                                      .finished = "",
                                      .devices = ""},
                             .job = ""};
    class_model_t m = {.n_rules = 0};
    uint8_t codes[64];
    const char *at = two;

    for (int i = 0; i < 2; i++, at++) {
        size_t n = 0;

        for (; *at != ' ' && *at != '\0'; at++)
            codes[n++] = alphabet_code(ALPHABET_DNA, (unsigned char)*at);
        assert_int_equal(seqset_builder_add(&builder, "r", 1, codes, n), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &m.refs), ST_OK);
    seqset_builder_free(&builder);
    m.taxon_of = malloc(2 * sizeof(*m.taxon_of));
    assert_int_equal(class_taxa_of_lineages(lineages, 2, &m.taxa, m.taxon_of), ST_OK);
    assert_int_equal(class_model_write(path, true, &m, &run, NULL), ST_OK);
    class_model_free(&m);
}
