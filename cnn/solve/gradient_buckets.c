/*
 * gradient_buckets.c - gradients that several ranks add up, in the order in which they
 * become final.
 */
#include "cnn/solve/cnn_trainer.h"

#include "io/base/logmsg.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* Note for every tensor the last backward step that writes it, if an update reads it.
 * @param last  [n_tensors] -1: not to be added up */
static void find_last_writers(const cnn_program_t *p, int *last)
{
    const int first_update = p->n_forward + p->n_backward;

    for (int t = 0; t < p->n_tensors; t++)
        last[t] = -1;
    for (int s = first_update; s < p->n_steps; s++)
        last[p->steps[s].reads[0]] = 0;
    for (int s = p->n_forward; s < first_update; s++)
        for (int w = 0; w < p->steps[s].n_writes; w++)
            if (last[p->steps[s].writes[w]] >= 0)
                last[p->steps[s].writes[w]] = s;
}

static void add(gradient_buckets_t *b, const cnn_program_t *p, int tensor)
{
    gradient_bucket_t *bucket = &b->buckets[b->n - 1];

    bucket->tensors[bucket->n++] = tensor;
    bucket->n_values += cnn_tensor_n(&p->tensors[tensor]);
    b->n_values += cnn_tensor_n(&p->tensors[tensor]);
}

/* Begin a bucket behind the tensors of the last one. */
static void open_bucket(gradient_buckets_t *b)
{
    gradient_bucket_t *bucket = &b->buckets[b->n];

    *bucket = (gradient_bucket_t){.at = b->n_values, .tensors = b->tensors};
    if (b->n > 0)
        bucket->tensors = bucket[-1].tensors + bucket[-1].n;
    b->n++;
}

static void add_scores(gradient_buckets_t *b, const cnn_program_t *p)
{
    for (int s = 0; s < p->n_forward; s++)
        if (p->steps[s].op == CNN_SOFTMAX_LOSS) {
            add(b, p, p->steps[s].writes[1]);
            add(b, p, p->steps[s].writes[2]);
        }
}

static void fill(gradient_buckets_t *b, const cnn_program_t *p, size_t min_bytes,
                 const int *last)
{
    const int first_update = p->n_forward + p->n_backward;
    bool is_full = false;

    open_bucket(b);
    add_scores(b, p);
    for (int s = p->n_forward; s < first_update; s++) {
        for (int w = 0; w < p->steps[s].n_writes; w++) {
            const int tensor = p->steps[s].writes[w];

            if (last[tensor] != s)
                continue;
            if (is_full)
                open_bucket(b);
            is_full = false;
            add(b, p, tensor);
        }
        if (!is_full &&
            (size_t)b->buckets[b->n - 1].n_values * sizeof(float) >= min_bytes) {
            b->buckets[b->n - 1].end = s + 1;
            is_full = true;
        }
    }
    b->buckets[b->n - 1].end = first_update;
}

/* @return the end of the steps before the updates that read a tensor */
static int end_of_reading(const cnn_program_t *p, int tensor)
{
    for (int s = p->n_forward + p->n_backward; s > 0; s--)
        for (int r = 0; r < p->steps[s - 1].n_reads; r++)
            if (p->steps[s - 1].reads[r] == tensor)
                return s;
    return 0;
}

/* Updates are in the order of the layers, so that those of a bucket follow each other.
 * @param of  [n_tensors] scratch */
static void find_updates(const gradient_buckets_t *b, const cnn_program_t *p, int *of)
{
    for (int k = 0; k < b->n; k++)
        for (int i = 0; i < b->buckets[k].n; i++)
            of[b->buckets[k].tensors[i]] = k;
    for (int s = p->n_forward + p->n_backward; s < p->n_steps; s++) {
        gradient_bucket_t *bucket = &b->buckets[of[p->steps[s].reads[0]]];
        const int unread = end_of_reading(p, p->steps[s].writes[0]);

        if (bucket->end_update == 0)
            bucket->update = bucket->end_update = s;
        assert(bucket->end_update == s);
        bucket->end_update = s + 1;
        bucket->unread = unread > bucket->unread ? unread : bucket->unread;
    }
}

status_t gradient_buckets_make(const cnn_program_t *p, size_t min_bytes,
                               gradient_buckets_t *out)
{
    gradient_buckets_t b = {
        .buckets = malloc((size_t)(p->n_steps + 1) * sizeof(*b.buckets)),
        .tensors = malloc((size_t)(p->n_tensors + 1) * sizeof(*b.tensors)),
    };
    int *last = malloc((size_t)(p->n_tensors + 1) * sizeof(*last));
    status_t st = ST_OK;

    if (b.buckets == NULL || b.tensors == NULL || last == NULL) {
        st = log_nomem("the gradients of a network");
        gradient_buckets_free(&b);
    } else {
        find_last_writers(p, last);
        fill(&b, p, min_bytes, last);
        find_updates(&b, p, last);
        *out = b;
    }
    free(last);
    return st;
}

void gradient_buckets_free(gradient_buckets_t *b)
{
    free(b->buckets);
    free(b->tensors);
    *b = (gradient_buckets_t){.n = 0};
}
