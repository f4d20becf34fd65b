/*
 * sync_model.h - what a round of blocks that wait for each other takes, as a sum.
 *
 *     t(N) = fixed + check [N > 1] + far [N > 8] + atomic N
 *          + crowd (blocks of a multiprocessor - 1)
 *
 * fixed   what one block takes: the barriers and fences of its threads, or a launch
 * check   to see that another block has come
 * far     to see one in another part of the GPU, as up to 8 blocks are near each other
 * atomic  for each block, one after the other
 * crowd   for each further block that waits on the same multiprocessor
 *
 * It is the model t = N t_a + t_c + t_s of the first barriers on GPUs, whose grids had
 * one block per multiprocessor.
 */
#pragma once

enum {
    SYNC_MODEL_FIXED,
    SYNC_MODEL_CHECK,
    SYNC_MODEL_FAR,
    SYNC_MODEL_ATOMIC,
    SYNC_MODEL_CROWD,
    SYNC_MODEL_TERMS
};
enum { SYNC_MODEL_NEAR = 8 /* blocks */ };

extern const char *const sync_model_term[SYNC_MODEL_TERMS];

typedef struct {
    double s[SYNC_MODEL_TERMS]; /* seconds, none negative */
} sync_model_t;

/*
 * Fit a model: least squares of relative differences.
 *
 * @param blocks, s  [n] of the rounds that were measured, n > 0, s > 0
 * @param n_cores    multiprocessors
 */
sync_model_t sync_model_fit(const int *blocks, const double *s, int n, int n_cores);

/* @return seconds of a round */
double sync_model_at(const sync_model_t *model, int blocks, int n_cores);
