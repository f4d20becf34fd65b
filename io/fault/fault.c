/*
 * fault.c - failures on demand, for tests.
 */
#include "io/fault/fault.h"

#ifdef RIBOGRID_FAULTS

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS_MAX = 256 };

#define VARIABLE "RIBOGRID_FAULTS_PLAN"

static const char *const kind_name[FAULT_KINDS] = {"device", "memory", "stall", "kill",
                                                   "wrong",  "malloc", "short", "enospc",
                                                   "eio",    "suspend"};

typedef struct {
    fault_kind_t kind;
    int rank;
    int64_t first, last;
    atomic_llong n_fired;
} fault_t;

static fault_t plan[FAULTS_MAX];
static int n_faults;
static atomic_llong n_passed[FAULT_KINDS];

/* Read "RANK:N:KIND" or "RANK:FIRST-LAST:KIND". */
static bool read_fault(const char *text, fault_t *out)
{
    char kind[16], rest;
    int64_t first, last;
    int rank;

    if (sscanf(text, "%d:%" SCNd64 "-%" SCNd64 ":%15[a-z]%c", &rank, &first, &last, kind,
               &rest) != 4) {
        if (sscanf(text, "%d:%" SCNd64 ":%15[a-z]%c", &rank, &first, kind, &rest) != 3)
            return false;
        last = first;
    }
    for (int k = 0; k < FAULT_KINDS; k++)
        if (strcmp(kind, kind_name[k]) == 0) {
            out->kind = (fault_kind_t)k;
            out->rank = rank;
            out->first = first;
            out->last = last;
            atomic_store(&out->n_fired, 0);
            return rank >= 0 && first >= 0 && last >= first;
        }
    return false;
}

static status_t misread(const char *text)
{
    log_error(VARIABLE ": '%s' is no fault; give RANK:N:KIND or RANK:FIRST-LAST:KIND, "
                       "separated by commas, at most %d",
              text, FAULTS_MAX);
    return ST_EUSAGE;
}

status_t fault_begin(int rank, int n_ranks)
{
    const char *text = getenv(VARIABLE);
    char *copy, *at, *word;
    status_t st = ST_OK;

    n_faults = 0;
    for (int k = 0; k < FAULT_KINDS; k++)
        atomic_store(&n_passed[k], 0);
    if (text == NULL)
        return ST_OK;
    if ((copy = strdup(text)) == NULL)
        return log_nomem("the plan of faults");
    at = copy;
    while (st == ST_OK && (word = strsep(&at, ",")) != NULL) {
        fault_t *fault = &plan[n_faults];

        if (n_faults == FAULTS_MAX || !read_fault(word, fault))
            st = misread(word);
        else if (fault->rank == rank || (rank == 0 && fault->rank >= n_ranks))
            n_faults++;
    }
    free(copy);
    return st;
}

bool fault_now(fault_kind_t kind)
{
    int64_t at = atomic_fetch_add(&n_passed[kind], 1);
    bool fires = false;

    for (int i = 0; i < n_faults; i++)
        if (plan[i].kind == kind && at >= plan[i].first && at <= plan[i].last) {
            atomic_fetch_add(&plan[i].n_fired, 1);
            fires = true;
        }
    return fires;
}

status_t fault_end(void)
{
    for (int i = 0; i < n_faults; i++) {
        const fault_t *f = &plan[i];
        int64_t n_fired = atomic_load(&f->n_fired), n = f->last - f->first + 1;

        if (n_fired == n)
            continue;
        log_error(VARIABLE ": of %" PRId64 " faults %d:%" PRId64 "-%" PRId64
                           ":%s %" PRId64 " happened; give numbers that are reached",
                  n, f->rank, f->first, f->last, kind_name[f->kind], n_fired);
        return ST_EUSAGE;
    }
    return ST_OK;
}

#endif
