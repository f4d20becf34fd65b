/*
 * cpu_batch.c - the memory for a batch's results.
 */
#include "kernels/align/cpu/cpu_batch.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t cpu_batch_take(cpu_batch_t *cpu, const pair_batch_t *batch)
{
    bool identity = align_has_identity(cpu->context.spec);

    cpu->batch = batch;
    if (batch->n <= cpu->capacity)
        return ST_OK;
    cpu_batch_free(cpu);
    cpu->results.score = calloc((size_t)batch->n, sizeof(int32_t));
    cpu->results.matches = identity ? calloc((size_t)batch->n, sizeof(int32_t)) : NULL;
    cpu->results.columns = identity ? calloc((size_t)batch->n, sizeof(int32_t)) : NULL;
    if (cpu->results.score == NULL ||
        (identity && (cpu->results.matches == NULL || cpu->results.columns == NULL)))
        return log_nomem("a batch's results");
    cpu->capacity = batch->n;
    return ST_OK;
}

void cpu_batch_put(cpu_batch_t *cpu, int64_t index, int64_t score, int64_t matches,
                   int64_t columns)
{
    cpu->results.score[index] = (int32_t)score;
    if (cpu->results.matches != NULL) {
        cpu->results.matches[index] = (int32_t)matches;
        cpu->results.columns[index] = (int32_t)columns;
    }
}

void cpu_batch_free(cpu_batch_t *cpu)
{
    free(cpu->results.score);
    free(cpu->results.matches);
    free(cpu->results.columns);
    cpu->results = (pair_results_t){.score = NULL};
    cpu->capacity = 0;
}
