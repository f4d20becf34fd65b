/*
 * cmd_export.c - `ribogrid export`: writes the pairs of a result file, or its OTUs, in
 * the formats of other programs.
 */
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/print/otu_export.h"
#include "tools/print/pairs_export.h"

#include <stdbool.h>

typedef struct {
    job_opts_t common;
    int format, triangle, sort;
    fraction_t id;
    const char *userfields, *groups, *taxonomy;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

/* In the order of export_format_t, then of otu_export_format_t from OTU_EXPORT_MAP on. */
#define FORMATS                                                                  \
    "blast6|userout|uc|phylip|column|paf|npy|otumap|otutab|shared|constaxonomy|" \
    "biom|biom-json"

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_CHOICE, "format", 0, AT(format), FORMATS, "output format"},
    {OPTION_OUTPUT, "output", 'o', AT(common.output), "FILE", "output file (stdout)"},
    {OPTION_TEXT, "userfields", 0, AT(userfields), "A+B+C",
     "userout: fields, named as in vsearch (those of blast6)"},
    {OPTION_CHOICE, "triangle", 0, AT(triangle), "square|lower",
     "phylip: the whole matrix, or only the lower triangle (square)"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "OTUs"},
    {OPTION_INPUT, "groups", 0, AT(groups), "OTUS.groups.h5",
     "the OTUs of `ribogrid cluster`, for otumap and all that follow it, and for uc"},
    {OPTION_INPUT, "taxonomy", 0, AT(taxonomy), "FILE",
     "otutab, constaxonomy, biom, biom-json: add the lineages of the representatives, "
     "from `classify` or `taxonomy`"},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_GROUP, .name = "Pairs"},
    {OPTION_FRACTION, "id", 0, AT(id), "FRACTION",
     "only pairs with at least this identity (not phylip, npy)"},
    {OPTION_CHOICE, "sort", 0, AT(sort), PAIRS_ORDER_WORDS,
     "order of each query's pairs: of the file, or best first (best first after "
     "`align --top`, else row)"},
    {.kind = OPTION_END}};

/* @return whether OTUs are written, not pairs */
static bool is_of_otus(const args_t *a)
{
    return a->format >= EXPORT_FORMATS || a->groups != NULL || a->taxonomy != NULL;
}

/* Check that the options go together, and fill in what to export. */
static status_t make_otus(const args_t *a, const char *path, otu_export_t *what)
{
    bool is_uc = a->format == EXPORT_UC;

    if (a->format < EXPORT_FORMATS && !is_uc)
        return options_misuse(
            &cmd_export,
            "--groups and --taxonomy do not apply to --format %s, which is of pairs",
            export_format_name[a->format]);
    if (a->groups == NULL)
        return options_misuse(&cmd_export, "give --groups OTUS.groups.h5");
    if (a->userfields != NULL || IS_GIVEN(a, triangle) || IS_GIVEN(a, id) ||
        IS_GIVEN(a, sort))
        return options_misuse(&cmd_export,
                              "--userfields, --triangle, --id and --sort are "
                              "for pairs, not for OTUs");
    *what = (otu_export_t){.format =
                               is_uc ? OTU_EXPORT_UC
                                     : (otu_export_format_t)(a->format - EXPORT_FORMATS +
                                                             OTU_EXPORT_MAP),
                           .pairs = path,
                           .groups = a->groups,
                           .taxonomy = a->taxonomy,
                           .output = a->common.output,
                           .force = a->common.force};
    if (a->taxonomy != NULL && !otu_export_has_taxa(what->format))
        return options_misuse(
            &cmd_export, "--taxonomy requires --format otutab, constaxonomy, biom or "
                         "biom-json");
    if (a->taxonomy == NULL && what->format == OTU_EXPORT_CONSTAXONOMY)
        return options_misuse(&cmd_export, "--format constaxonomy needs --taxonomy");
    if (what->format == OTU_EXPORT_BIOM && a->common.output == NULL)
        return options_misuse(&cmd_export, "--format biom is HDF5: give -o FILE");
    return ST_OK;
}

/* The same for pairs. */
static status_t make_pairs(const args_t *a, const char *path, pairs_export_t *what)
{
    export_spec_t *spec = &what->spec;
    const char *fields = a->userfields != NULL ? a->userfields : export_userout_default;
    const char *bad;
    int bad_len;

    *what = (pairs_export_t){.spec = {.format = (export_format_t)a->format,
                                      .pick.id = a->id,
                                      .lower = a->triangle == 1},
                             .has_order = IS_GIVEN(a, sort),
                             .pairs = path,
                             .output = a->common.output,
                             .force = a->common.force};
    if (what->has_order)
        spec->pick.order = (pairs_order_t)a->sort;
    if (a->userfields != NULL && spec->format != EXPORT_USEROUT)
        return options_misuse(&cmd_export, "--userfields requires --format userout");
    if (IS_GIVEN(a, triangle) && spec->format != EXPORT_PHYLIP)
        return options_misuse(&cmd_export, "--triangle requires --format phylip");
    if (IS_GIVEN(a, id) && export_is_matrix(spec->format))
        return options_misuse(
            &cmd_export, "--id does not apply to --format %s, which holds every pair",
            export_format_name[spec->format]);
    if (IS_GIVEN(a, sort) && export_is_matrix(spec->format))
        return options_misuse(&cmd_export,
                              "--sort does not apply to --format %s, which is a matrix",
                              export_format_name[spec->format]);
    if (!export_userout_parse(fields, &spec->fields, &bad, &bad_len))
        return options_misuse(&cmd_export,
                              "--userfields: '%.*s' is unknown, or one field too many; "
                              "docs/exports.md lists the fields",
                              bad_len, bad);
    return ST_OK;
}

static int run(int argc, char **argv)
{
    args_t a = {.common = job_opts_defaults()};
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    pairs_export_t pairs;
    otu_export_t otus;
    status_t st = options_parse(&cmd_export, argc, argv, &a, words);

    if (st == ST_OK && !IS_GIVEN(&a, format))
        st = options_misuse(&cmd_export, "give --format");
    if (st != ST_OK)
        return status_exit_code(st);
    if (is_of_otus(&a))
        st = (st = make_otus(&a, words[0], &otus)) == ST_OK ? otu_export(&otus) : st;
    else
        st = (st = make_pairs(&a, words[0], &pairs)) == ST_OK ? pairs_export(&pairs) : st;
    return status_exit_code(st);
}

const command_t cmd_export = {
    .name = "export",
    .summary = "write pairs or OTUs in the formats of other programs",
    .usage = "PAIRS.h5 --format FORMAT [-o FILE] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "blast6, userout, uc  as written by vsearch\n"
        "phylip, column       distances (1 - identity), as read by mothur\n"
        "paf                  as written by minimap2, with cg tags\n"
        "npy                  square float32 matrix of identities; NaN where missing\n"
        "\n"
        "uc, with --groups    OTUs as vsearch writes clusters: records S, H and C\n"
        "otumap               a line per record: name, tab, OTU\n"
        "otutab               OTUs by samples, as PREFIX.otus.tsv of `cluster`\n"
        "shared               the same for mothur, one line per sample\n"
        "constaxonomy         the lineage of each OTU, for mothur\n"
        "biom, biom-json      the same as BIOM 2.1 (HDF5) and BIOM 1.0 (JSON)\n"
        "\n"
        "blast6, paf, uc of pairs and some fields need alignments: `ribogrid align "
        "--emit\ncigar`.\n"
        "phylip and npy need a file of all pairs.\n"
        "docs/exports.md describes every column.\n",
    .example = "ribogrid export pairs.h5 --format column --id 0.97 -o pairs.dist",
    .n_words_min = 1,
    .n_words_max = 1,
    .words_are_inputs = true,
    .reads_results = true,
    .run = run,
};
