/*
 * close_pairs.c - print the pairs of a FASTA file that are similar, with their
 * alignments.
 *
 * usage: close_pairs READS.fa [IDENTITY]
 */
#include <ribogrid.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    rg_context_t *context = NULL;
    rg_set_t *reads = NULL;
    rg_aligner_t *aligner = NULL;
    rg_result_t *pairs = NULL;
    rg_align_options_t options;
    rg_status_t status;
    char cigar[4096];

    rg_align_options_init(&options, sizeof(options));
    options.preset = "vsearch";
    options.emit = "cigar";
    options.id = argc > 2 ? atof(argv[2]) : 0.97;
    if (argc < 2 || (status = rg_context_create(NULL, &context)) != RG_OK ||
        (status = rg_set_read(context, argv[1], NULL, &reads)) != RG_OK ||
        (status = rg_aligner_create(context, reads, NULL, &options, &aligner)) != RG_OK ||
        (status = rg_aligner_all(aligner, &pairs)) != RG_OK) {
        fprintf(stderr, "close_pairs: %s\n",
                argc < 2 ? "give a FASTA file" : rg_context_error(context));
        return EXIT_FAILURE;
    }
    for (int64_t i = 0; i < rg_result_count(pairs); i++) {
        rg_result_cigar_text(pairs, i, cigar, sizeof(cigar));
        printf("%s\t%s\t%d/%d\t%s\n", rg_set_name(reads, rg_result_queries(pairs)[i]),
               rg_set_name(reads, rg_result_targets(pairs)[i]),
               rg_result_matches(pairs)[i], rg_result_columns(pairs)[i], cigar);
    }
    rg_result_destroy(pairs);
    rg_aligner_destroy(aligner);
    rg_set_destroy(reads);
    rg_context_destroy(context);
    return EXIT_SUCCESS;
}
