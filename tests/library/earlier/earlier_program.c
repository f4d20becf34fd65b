/*
 * earlier_program.c - uses every struct and handle of the header beside it, which is the
 * one that the symbols of RIBOGRID_0 were published with.
 */
#include "ribogrid_0.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ACGTACGTACGTACACGTACGAACGTACTTTTGGGGCCCCAA";
static const int64_t offsets[] = {0, 14, 28, 42};
static const int64_t starts[] = {0, 1, 3, 4};
static const int32_t targets[] = {1, 0, 2, 1};
static int n_reports;

static int report(void *arg, double done)
{
    (void)arg;
    n_reports += done >= 0 && done <= 1;
    return 0;
}

static void check(const rg_context_t *context, rg_status_t status)
{
    if (status == RG_OK)
        return;
    fprintf(stderr, "earlier: %s\n", rg_context_error(context));
    exit(EXIT_FAILURE);
}

int main(void)
{
    rg_context_options_t options;
    rg_align_options_t align;
    rg_cluster_options_t cluster;
    rg_graph_options_t graph_options;
    rg_read_options_t read;
    rg_context_t *context = NULL;
    rg_set_t *set = NULL;
    rg_aligner_t *aligner = NULL;
    rg_result_t *pairs = NULL;
    rg_graph_t *graph = NULL;
    rg_columns_t *columns = NULL;
    int32_t label[3];
    double mcc;
    char cigar[64];

    rg_context_options_init(&options, sizeof(options));
    rg_align_options_init(&align, sizeof(align));
    rg_cluster_options_init(&cluster, sizeof(cluster));
    rg_graph_options_init(&graph_options, sizeof(graph_options));
    rg_read_options_init(&read, sizeof(read));
    options.device = "cpu";
    options.threads = 1;
    options.progress = report;
    align.emit = "cigar";
    align.band = "off"; /* the last member */
    cluster.id = 0.9;
    cluster.starts = 2;
    graph_options.sources = targets + 2;
    graph_options.n_sources = 1;
    graph_options.kernel = "serial";
    check(context, rg_context_create(&options, &context));
    check(context, rg_set_create(context, "dna", 3, letters, offsets, NULL, &set));
    check(context, rg_aligner_create(context, set, NULL, &align, &aligner));
    check(context, rg_aligner_all(aligner, &pairs));
    check(context, rg_cluster(context, pairs, &cluster, label, &mcc));
    check(context, rg_graph_create(context, 3, starts, targets, NULL, NULL, &graph));
    check(context, rg_graph_run(context, graph, "bfs", &graph_options, &columns));
    for (int64_t k = 0; k < rg_result_count(pairs); k++) {
        rg_result_cigar_text(pairs, k, cigar, sizeof(cigar));
        printf("%d %d %d %s\n", rg_result_queries(pairs)[k], rg_result_targets(pairs)[k],
               rg_result_scores(pairs)[k], cigar);
    }
    printf("%d %d %d\n", label[0], label[1], label[2]);
    for (int64_t u = 0; u < rg_columns_length(columns); u++)
        printf("%d ", ((const int32_t *)rg_columns_values(columns, 0))[u]);
    printf("%s %d\n", rg_columns_name(columns, 0), n_reports > 0);
    printf("%s\n", rg_set_read(context, "/nonexistent", &read, &set) == RG_EIO
                       ? "no such file"
                       : "?");
    rg_columns_destroy(columns);
    rg_graph_destroy(graph);
    rg_result_destroy(pairs);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
    return EXIT_SUCCESS;
}
