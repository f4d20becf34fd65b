/*
 * cmd_search_build.c - `ribogrid search build`: a database of proteins, parsed and masked
 * once.
 */
#include "io/base/logmsg.h"
#include "io/prepare/protein_db.h"
#include "io/seq/fasta.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>

typedef struct {
    job_opts_t common;
    const char *input;
    fasta_opts_t fasta;
    mask_t mask;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "DB.faa[.gz]|-", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_ALPHABET,
     AT(fasta.alphabet),
     .value = "dna|protein|auto",
     .help = "; dna is refused, and so is with auto, the default, what looks like it"},
    {.kind = OPTION_TABLE, AT(fasta), .table = option_fasta},
    {.kind = OPTION_TABLE, .table = option_input},
    {.word = WORD_MASK,
     AT(mask),
     .help = ", or tandem repeats (tantan), as the searches will ({})"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .value = "DB.h5", .help = ": the database"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

/* Read all proteins. @param out  out: freed by the caller, also after an error */
static status_t read_proteins(const args_t *a, pool_t *pool, seqset_t **out)
{
    fasta_opts_t fasta = a->fasta;
    seq_files_t files;
    status_t st =
        seq_files_list(&(seq_inputs_t){.paths = (const char *const *)&a->input, .n = 1},
                       &files);

    if (st != ST_OK)
        return st;
    fasta.alphabet = ALPHABET_PROTEIN;
    st = fasta_read_files(&files, &fasta, pool, NULL, out);
    if (st == ST_OK && a->fasta.alphabet == ALPHABET_AUTO)
        st = fasta_refuse_nucleotides(files.label, *out);
    if (st == ST_OK)
        st = prepare_mask(files.label, a->mask, true, pool, *out);
    seq_files_free(&files);
    return st;
}

static status_t build(void *args, command_run_t *run)
{
    const args_t *a = args;
    seqset_t *set = NULL;
    status_t st = read_proteins(a, run->pool, &set);

    if (st == ST_OK)
        st = protein_db_write(a->common.output, a->common.force, set, a->mask,
                              command_run_end(run), run->pool);
    if (st == ST_OK)
        log_info("%s: %" PRId64 " proteins, %" PRId64 " residues", a->common.output,
                 set->n, set->offset[set->n]);
    seqset_destroy(set);
    return st;
}

static void defaults(void *args)
{
    args_t *a = args;

    a->fasta.alphabet = ALPHABET_AUTO;
    a->mask = MASK_DB;
}

static status_t run(void *args)
{
    args_t *a = args;

    if (a->common.output == NULL)
        return options_misuse(&cmd_search_build, "give -o DB.h5");
    if (a->fasta.alphabet == ALPHABET_DNA)
        return options_misuse(&cmd_search_build,
                              "--alphabet dna: E-values are for proteins; translate the "
                              "sequences first");
    return command_run_with_pool(&a->common, a->input, build, a);
}

const command_t cmd_search_build = {
    .name = "search build",
    .summary = "a database of proteins for many searches: parsed and masked once",
    .words = words,
    .usage = "-o DB.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "`ribogrid search QUERIES DB.h5` finds what it finds with the FASTA file, if "
        "--mask is\nthe same.\n",
    .example =
        "ribogrid search build db.faa -o db.h5 && ribogrid search queries.faa db.h5 "
        "-o hits.h5",
    .defaults = defaults,
    .run = run,
};
