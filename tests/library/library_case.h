/*
 * library_case.h - contexts, sets and aligners of tests of the library.
 */
#pragma once

#include "library/ribogrid.h"
#include "tests/support/unit_test.h"

#include <string.h>

static inline rg_context_t *new_context(int threads)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    rg_context_options_init(&options, sizeof(options));
    options.device = "cpu";
    options.threads = threads;
    assert_int_equal(rg_context_create(&options, &context), RG_OK);
    return context;
}

/* @param letters  of sequences with blanks between them */
static inline rg_set_t *new_set(rg_context_t *context, const char *letters)
{
    int64_t offsets[64] = {0}, n = 0, len = 0;
    char joined[512];
    rg_set_t *set = NULL;

    for (const char *at = letters; *at != '\0'; at++)
        if (*at == ' ')
            offsets[++n] = len;
        else
            joined[len++] = *at;
    offsets[++n] = len;
    assert_int_equal(rg_set_create(context, NULL, n, joined, offsets, NULL, &set), RG_OK);
    return set;
}

static inline rg_align_options_t defaults(void)
{
    rg_align_options_t options;

    rg_align_options_init(&options, sizeof(options));
    return options;
}

static inline rg_aligner_t *new_aligner(rg_context_t *context, const rg_set_t *queries,
                                        const rg_set_t *references,
                                        const rg_align_options_t *options)
{
    rg_aligner_t *aligner = NULL;
    const rg_status_t status =
        rg_aligner_create(context, queries, references, options, &aligner);

    if (status != RG_OK)
        fail_msg("%s", rg_context_error(context));
    return aligner;
}

static inline void assert_fails(const rg_context_t *context, rg_status_t got,
                                rg_status_t want, const char *reason)
{
    assert_int_equal(got, want);
    if (strstr(rg_context_error(context), reason) == NULL)
        fail_msg("'%s' is not in: %s", reason, rg_context_error(context));
}
