/*
 * dpc_pragma.h - the clauses of `#pragma dp`.
 *
 *     #pragma dp consldt(warp|block|grid) work(NAME, ...) [clause]...
 *
 * docs/dpc.md has the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { DP_WARP, DP_BLOCK, DP_GRID } dp_level_t;

extern const char *const dp_level_name[];

enum { DP_WORK_MAX = 16, DP_REASON_BYTES = 160 };

/* A part of the text. */
typedef struct {
    const char *at;
    size_t len; /* 0: not given */
} dp_word_t;

typedef struct {
    dp_level_t level;
    bool is_custom;       /* buffer(custom): in the pool first; else from malloc first */
    dp_word_t per_buffer; /* items of a buffer: a number or a name */
    int64_t total_bytes;  /* of the pool; these: 0 where not given */
    int64_t threads, blocks, threshold, coarsen;
    dp_word_t work[DP_WORK_MAX];
    int n_work;
} dp_pragma_t;

/*
 * Parse what follows the words `#pragma dp`, to the end of the line.
 *
 * @param text    [len] may have comments and continued lines
 * @param out     its words point into text
 * @param reason  why it is refused
 * @return whether it is valid
 */
bool dp_pragma_parse(const char *text, size_t len, dp_pragma_t *out,
                     char reason[DP_REASON_BYTES]);
