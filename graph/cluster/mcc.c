/*
 * mcc.c - the confusion matrix of a partition, and its coefficient.
 */
#include "graph/cluster/cluster_methods.h"

#include <math.h>
#include <stddef.h>

mcc_t mcc_count(int64_t n, const int32_t *label, int64_t *size, const edge_t *edges,
                int64_t n_edges)
{
    mcc_t m = {.tp = edges == NULL ? n_edges : 0};
    int64_t n_within = 0;

    for (int64_t i = 0; i < n; i++)
        n_within += size[label[i]]++;
    for (int64_t e = 0; edges != NULL && e < n_edges; e++)
        m.tp += label[edges[e].a] == label[edges[e].b];
    m.fp = n_within - m.tp;
    m.fn = n_edges - m.tp;
    m.tn = n * (n - 1) / 2 - m.tp - m.fp - m.fn;
    return m;
}

double mcc_value(const mcc_t *m)
{
    double tp = (double)m->tp, tn = (double)m->tn, fp = (double)m->fp, fn = (double)m->fn;
    double margins = sqrt((tp + fp) * (tn + fn)) * sqrt((tp + fn) * (tn + fp));

    if (m->fp == 0 && m->fn == 0)
        return 1;
    return margins > 0 ? (tp * tn - fp * fn) / margins : 0;
}
