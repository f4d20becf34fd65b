/*
 * option_words.h - the options that several commands have: one row for each word.
 *
 * A word means the same in every command: a command's row names it (`.word = WORD_ID`),
 * and has only what is its own: the member, a default, values, the rest of the help.
 * tests/tools/test_commands.c refuses two rows of one name that are not of one word.
 *
 * `value` of a word of choices lists all values that commands may have, so that a value
 * is one word, too.
 */
#pragma once

typedef enum {
    WORD_NONE,
    WORD_AGAINST,
    WORD_ALLOCATOR,
    WORD_ALLOW_MISSING,
    WORD_ALPHABET,
    WORD_AMBIGUOUS,
    WORD_ANGLE,
    WORD_BAND,
    WORD_BATCH,
    WORD_COUNT_TABLE,
    WORD_DEDUPE,
    WORD_DEVICE,
    WORD_DEVICE_MEMORY,
    WORD_DIRECTED,
    WORD_DROP_LOOPS,
    WORD_EMIT,
    WORD_ENDS,
    WORD_EPOCHS,
    WORD_FORMAT,
    WORD_GAP,
    WORD_GROUPS,
    WORD_HELD_OUT,
    WORD_ID,
    WORD_KERNEL,
    WORD_LENGTH,
    WORD_LOG_SHARDS,
    WORD_MAX_ITERATIONS,
    WORD_MAX_LENGTH,
    WORD_MEMORY,
    WORD_METHOD,
    WORD_MIN_LENGTH,
    WORD_MIN_SIZE,
    WORD_NEWICK,
    WORD_NOVELTY_RATE,
    WORD_ORDER,
    WORD_OUTPUT,
    WORD_PEERS,
    WORD_POOL_SIZE,
    WORD_PRESET,
    WORD_PRIOR,
    WORD_RESAMPLES,
    WORD_RUNS,
    WORD_SAMPLES,
    WORD_SECONDS,
    WORD_SIZEOUT,
    WORD_SKIP_BAD,
    WORD_SORT,
    WORD_SOURCE,
    WORD_SOURCES,
    WORD_STRAND,
    WORD_SVG,
    WORD_SWAP,
    WORD_TAXONOMY,
    WORD_THREADS,
    WORD_TITLE,
    WORD_TOP,
    WORD_TSV,
    WORD_TYPE,
    WORD_WEIGHTS,
    OPTION_N_WORDS
} option_word_t;
