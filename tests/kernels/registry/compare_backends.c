/*
 * compare_backends.c - every backend of the registry that runs on the CPU returns what
 * the reference does.
 *
 * usage: compare_backends KIND [NAME]
 *        NAME: only cases whose names contain it
 */
#include "tests/kernels/registry/comparison.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const comparison_kind_t *kind;
    comparison_cases_t cases;
} kinds[] = {
    {&compare_aligners, compare_aligners_cases},
    {&compare_edits, compare_edits_cases},
    {&compare_classifiers, compare_classifiers_cases},
    {&compare_graphs, compare_graphs_cases},
    {&compare_parts, compare_parts_cases},
    {&compare_networks, compare_networks_cases},
#ifdef RIBOGRID_HAVE_PARASAIL
    {&compare_parasail, compare_parasail_cases},
#endif
};

int main(int argc, char **argv)
{
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && argc > 1; k++)
        if (strcmp(argv[1], kinds[k].kind->name) == 0)
            return comparison_run(kinds[k].kind, kinds[k].cases,
                                  argc > 2 ? argv[2] : NULL);
    fprintf(stderr, "usage: compare_backends KIND [NAME]\nKIND:");
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
        fprintf(stderr, " %s", kinds[k].kind->name);
    fprintf(stderr, "\n");
    return 2;
}
