/*
 * cmd_export.c - `ribogrid export`: writes the pairs of a result file, or its OTUs, in
 * the formats of other programs.
 */
#include "io/amplicon/asv_result.h"
#include "io/base/logmsg.h"
#include "io/base/status.h"
#include "io/export/export_file.h"
#include "io/file/whole_file.h"
#include "io/modelfile/file_kind.h"
#include "io/otu/biom_write.h"
#include "io/otu/otu_only.h"
#include "io/otu/otu_write.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_read.h"
#include "io/seq/fasta.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/print/report_parts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    job_opts_t common;
    const char *path;
    int format, triangle, sort;
    fraction_t id;
    double evalue;
    const char *userfields, *groups, *taxonomy, *only;
    bool sizeout, allow_missing;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

/* Formats besides those of pairs.  FASTA is of all sequences, or like EXPORT_UC of OTUs;
 * those that follow are of OTUs. */
enum {
    FORMAT_FASTA = EXPORT_FORMATS,
    FORMAT_MAP,
    FORMAT_TABLE,
    FORMAT_SHARED,
    FORMAT_CONSTAXONOMY,
    FORMAT_BIOM,
    FORMAT_BIOM_JSON
};

/* In the order of export_format_t, then of those. */
#define FORMATS                                                           \
    "blast6|userout|uc|phylip|column|paf|npy|fasta|otumap|otutab|shared|" \
    "constaxonomy|biom|biom-json"

static const option_t words[] = {{OPTION_INPUT, "PAIRS.h5|ASVS.h5", 0,
                                  OPTION_AT(args_t, path)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_FORMAT, AT(format), .value = FORMATS},
    {.word = WORD_OUTPUT, AT(common.output), .help = " (stdout)"},
    {OPTION_TEXT, "userfields", 0, AT(userfields), "A+B+C",
     "userout: fields, named as in vsearch (those of blast6)"},
    {OPTION_CHOICE, "triangle", 0, AT(triangle), "square|lower",
     "phylip: the whole matrix, or only the lower triangle ({})"},
    {.word = WORD_SIZEOUT, AT(sizeout)},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "OTUs"},
    {.word = WORD_GROUPS,
     AT(groups),
     .help = ", for otumap and all that follow it, and for uc and fasta"},
    {.word = WORD_TAXONOMY,
     AT(taxonomy),
     .help = " of the representatives, from `classify` or `taxonomy`, to add to otutab, "
             "constaxonomy, biom and biom-json"},
    {OPTION_INPUT, "only", 0, AT(only), "CLEAN.fa",
     "write only OTUs or ASVs that this file has, such as `chimeras --nonchimeras` of "
     "their representatives (otutab, shared, constaxonomy, biom, biom-json)"},
    {.word = WORD_ALLOW_MISSING,
     AT(allow_missing),
     .help = ": such OTUs are " OTU_TAXA_MISSING},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_GROUP, .name = "Pairs"},
    {.word = WORD_ID, AT(id), .help = " of the pairs to write (not phylip, npy)"},
    {.word = WORD_EVALUE,
     AT(evalue),
     .help = " to write: local alignments of proteins (not phylip, npy)"},
    {.word = WORD_SORT, AT(sort)},
    {.kind = OPTION_END}};

/* ---- OTUs ---- */

/* @return whether OTUs are written, not pairs or sequences */
static bool is_of_otus(const args_t *a)
{
    return a->format > FORMAT_FASTA || a->groups != NULL || a->taxonomy != NULL ||
           a->only != NULL;
}

/* Refuse options of pairs. @param of  what is written instead */
static status_t check_not_pairs(const args_t *a, const char *of)
{
    return a->userfields != NULL || IS_GIVEN(a, triangle) || IS_GIVEN(a, id) ||
                   IS_GIVEN(a, evalue) || IS_GIVEN(a, sort)
               ? options_misuse(&cmd_export,
                                "--userfields, --triangle, --id, --evalue and --sort are "
                                "for pairs, not for %s",
                                of)
               : ST_OK;
}

/* Check that options of tables go together. @param of  what they are of */
static status_t check_table(const args_t *a, const char *of)
{
    status_t st = check_not_pairs(a, of);

    if (st != ST_OK)
        return st;
    if (a->only != NULL && a->format < FORMAT_TABLE)
        return options_misuse(&cmd_export,
                              "--only is for otutab, shared, constaxonomy, biom and "
                              "biom-json");
    if (a->taxonomy != NULL && a->format != FORMAT_TABLE &&
        a->format < FORMAT_CONSTAXONOMY)
        return options_misuse(
            &cmd_export, "--taxonomy requires --format otutab, constaxonomy, biom or "
                         "biom-json");
    if (a->taxonomy == NULL && a->allow_missing)
        return options_misuse(&cmd_export, "--allow-missing needs --taxonomy");
    if (a->taxonomy == NULL && a->format == FORMAT_CONSTAXONOMY)
        return options_misuse(&cmd_export, "--format constaxonomy needs --taxonomy");
    if (a->format == FORMAT_BIOM && a->common.output == NULL)
        return options_misuse(&cmd_export, "--format biom is HDF5: give -o FILE");
    return ST_OK;
}

static status_t check_otus(const args_t *a)
{
    if (a->format < EXPORT_FORMATS && a->format != EXPORT_UC)
        return options_misuse(
            &cmd_export,
            "--groups and --taxonomy do not apply to --format %s, which is of pairs",
            export_format_name[a->format]);
    if (a->groups == NULL)
        return options_misuse(&cmd_export, "give --groups OTUS.groups.h5");
    return check_table(a, "OTUs");
}

static status_t check_asvs(const args_t *a)
{
    if (a->format < EXPORT_FORMATS || a->format == FORMAT_MAP)
        return options_misuse(&cmd_export,
                              "--format %s is not of ASVs; give fasta, otutab, shared, "
                              "constaxonomy, biom or biom-json (`ribogrid view` prints "
                              "the ASV of each read)",
                              a->format == FORMAT_MAP ? "otumap"
                                                      : export_format_name[a->format]);
    if (a->groups != NULL)
        return options_misuse(&cmd_export,
                              "--groups is of pairs, but %s holds ASVs; "
                              "leave it out",
                              a->path);
    return check_table(a, "ASVs");
}

/* A table of OTUs or ASVs, and of what it is. */
typedef struct {
    otu_table_t *table;
    char *const *names; /* of the sequences */
    const char *program;
    fraction_t id;
    taxonomy_t *taxonomy; /* NULL: none */
    otu_taxa_t taxa;
} shown_t;

typedef struct {
    pairs_file_t *file;
    otu_source_t source;
    pairs_members_t members;
    pairs_samples_t samples;
    otu_table_t *table;
    seqset_t *set; /* NULL: the format has no bases */
} otus_t;

/* Leave out what --only leaves out, and find the lineages of the others. */
static status_t find_taxa(const args_t *a, shown_t *s)
{
    status_t st;

    if (a->only != NULL && (st = otu_only_keep(a->only, s->names, s->table)) != ST_OK)
        return st;
    if (a->taxonomy == NULL || (st = taxonomy_read(a->taxonomy, &s->taxonomy)) != ST_OK)
        return a->taxonomy == NULL ? ST_OK : st;
    return otu_taxa_find(s->taxonomy, a->taxonomy, s->names, s->table, a->allow_missing,
                         &s->taxa);
}

static void free_shown(shown_t *s)
{
    otu_taxa_free(&s->taxa);
    taxonomy_destroy(s->taxonomy);
}

/* Open the output, as its format requires. */
static status_t open_output(const args_t *a, whole_file_t **to)
{
    return whole_file_open(a->common.output,
                           a->format == FORMAT_BIOM ? WHOLE_FILE_HDF5 : WHOLE_FILE_TEXT,
                           a->common.force, to);
}

/* Write the formats that OTUs and ASVs share. */
static status_t write_table(const args_t *a, const shown_t *s, whole_file_t *to)
{
    const otu_taxa_t *taxa = s->taxonomy != NULL ? &s->taxa : NULL;

    switch (a->format) {
    case FORMAT_TABLE:
        otu_write_tsv(whole_file_stream(to), s->table, taxa);
        return ST_OK;
    case FORMAT_SHARED:
        return otu_write_shared(whole_file_stream(to), s->table, &s->id);
    case FORMAT_CONSTAXONOMY:
        otu_write_constaxonomy(whole_file_stream(to), s->table, &s->taxa);
        return ST_OK;
    case FORMAT_BIOM:
        return biom_write(to, s->table, taxa, s->program);
    default:
        biom_json_write(whole_file_stream(to), s->table, taxa, s->program);
        return ST_OK;
    }
}

/* Make the table that the groups are of, with their names: sequences that were left out
 * are clusters of their own, which are left out again. */
static status_t make_table(otus_t *o)
{
    const otu_groups_t *groups = &o->source.groups;
    const otu_table_t *of = groups->table;
    int64_t bad;
    int32_t *label = malloc((size_t)of->n * sizeof(*label) + 1);
    status_t st;

    if (label == NULL)
        return log_nomem("the OTU table");
    for (int64_t i = 0; i < of->n; i++)
        label[i] = of->otu[i] >= 0 ? of->representative[of->otu[i]] : (int32_t)i;
    st = otu_table_create(of->n, label, o->file->sizes, &o->samples,
                          o->source.head.min_size, &o->table);
    free(label);
    if (st != ST_OK)
        return st;
    if (memcmp(o->table->otu, of->otu, (size_t)of->n * sizeof(*of->otu)) != 0)
        return log_refusal(o->source.path, "give a file that `ribogrid cluster` wrote",
                           "its OTUs are not those with its min_size of %" PRId64
                           " in order of abundance",
                           o->source.head.min_size);
    o->table->last_number = of->last_number;
    return otu_table_take_names(o->table, groups->otu_names, &bad);
}

static status_t read_files(const args_t *a, const char *path, otus_t *o, shown_t *s)
{
    status_t st;

    if ((st = pairs_open(path, &o->file)) != ST_OK ||
        (st = otu_source_read(a->groups, o->file, &o->source)) != ST_OK ||
        (st = pairs_read_members(o->file, &o->members)) != ST_OK ||
        (st = pairs_read_samples(o->file, &o->samples)) != ST_OK)
        return st;
    if ((st = make_table(o)) != ST_OK)
        return st;
    if (a->format == FORMAT_FASTA)
        return pairs_read_sequences(o->file, &o->set);
    s->table = o->table;
    s->names = o->file->rows.names;
    s->program = o->source.head.program;
    s->id = o->source.head.id;
    return find_taxa(a, s);
}

static status_t write_otus(const args_t *a, const otus_t *o, const shown_t *s,
                           whole_file_t *to)
{
    switch (a->format) {
    case EXPORT_UC:
        return export_clusters_uc(o->file, o->table, whole_file_stream(to));
    case FORMAT_FASTA:
        otu_write_fasta(whole_file_stream(to), o->table, o->set, a->sizeout);
        return ST_OK;
    case FORMAT_MAP:
        otu_write_map(whole_file_stream(to), o->table, &o->members);
        return ST_OK;
    default:
        return write_table(a, s, to);
    }
}

/* Read both files, which must be of the same sequences, and write the output. */
static status_t export_otus(const args_t *a, const char *path)
{
    otus_t o = {.file = NULL};
    shown_t shown = {.table = NULL};
    whole_file_t *to = NULL;
    status_t st = check_otus(a);

    if (st == ST_OK && (st = read_files(a, path, &o, &shown)) == ST_OK &&
        (st = open_output(a, &to)) == ST_OK)
        st = whole_file_close(to, write_otus(a, &o, &shown, to));
    free_shown(&shown);
    seqset_destroy(o.set);
    otu_table_destroy(o.table);
    pairs_samples_free(&o.samples);
    pairs_members_free(&o.members);
    otu_source_free(&o.source);
    pairs_close(o.file);
    return st;
}

/* ---- ASVs ---- */

static status_t write_asvs(const args_t *a, const asv_result_t *r, const shown_t *s,
                           whole_file_t *to)
{
    if (a->format != FORMAT_FASTA)
        return write_table(a, s, to);
    asv_fasta_print(r, a->sizeout, whole_file_stream(to));
    return ST_OK;
}

static status_t export_asvs(const args_t *a, const char *path)
{
    asv_result_t r = {.names = NULL};
    shown_t shown = {.id = {1, 1}};
    whole_file_t *to = NULL;
    status_t st = check_asvs(a);

    if (st == ST_OK && (st = asv_result_read(path, &r)) == ST_OK) {
        shown.table = r.table;
        shown.names = r.names;
        shown.program = r.info.program;
        st = find_taxa(a, &shown);
    }
    if (st == ST_OK && (st = open_output(a, &to)) == ST_OK)
        st = whole_file_close(to, write_asvs(a, &r, &shown, to));
    free_shown(&shown);
    asv_result_free(&r);
    return st;
}

/* ---- sequences ---- */

/* Write the sequences that were aligned; the queries, if there are references. */
static status_t export_sequences(const args_t *a, const char *path)
{
    pairs_file_t *file = NULL;
    seqset_t *set = NULL;
    whole_file_t *to;
    status_t st = check_not_pairs(a, "sequences");
    bool is_good = true; /* else the stream has an error */

    if (st == ST_OK && (st = pairs_open(path, &file)) == ST_OK &&
        (st = pairs_read_sequences(file, &set)) == ST_OK &&
        (st = whole_file_open(a->common.output, WHOLE_FILE_TEXT, a->common.force, &to)) ==
            ST_OK) {
        for (int64_t i = 0; is_good && i < set->n; i++)
            is_good =
                fasta_write_sequence(whole_file_stream(to), seqset_name(set, i),
                                     a->sizeout ? pairs_size(file, i) : 0, NULL, set, i);
        st = whole_file_close(to, ST_OK);
    }
    seqset_destroy(set);
    pairs_close(file);
    return st;
}

/* ---- pairs and the command ---- */

/* Check that the options go together, and fill in what to export. */
static status_t make_pairs(const args_t *a, const char *path, export_request_t *what)
{
    export_spec_t *spec = &what->spec;
    const char *fields = a->userfields != NULL ? a->userfields : export_userout_default;
    const char *bad;
    int bad_len;

    *what = (export_request_t){.spec = {.format = (export_format_t)a->format,
                                        .pick.id = a->id,
                                        .pick.max_evalue = a->evalue,
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
    if (IS_GIVEN(a, evalue) && export_is_matrix(spec->format))
        return options_misuse(
            &cmd_export, "--evalue does not apply to --format %s, which holds every pair",
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

static status_t run(void *args)
{
    const args_t *a = args;
    export_request_t pairs;
    file_kind_t kind;
    status_t st;

    if (!IS_GIVEN(a, format))
        return options_misuse(&cmd_export, "give --format");
    if (a->sizeout && a->format != FORMAT_FASTA)
        return options_misuse(&cmd_export, "--sizeout requires --format fasta");
    if ((st = file_kind_read(a->path, &kind)) != ST_OK)
        return st;
    if (kind == FILE_ASV_RESULT)
        return export_asvs(a, a->path);
    if (is_of_otus(a))
        return export_otus(a, a->path);
    if (a->format == FORMAT_FASTA)
        return export_sequences(a, a->path);
    st = make_pairs(a, a->path, &pairs);
    return st == ST_OK ? export_file_make(&pairs) : st;
}

const command_t cmd_export = {
    .name = "export",
    .summary = "write pairs, OTUs, ASVs or sequences in the formats of other programs",
    .words = words,
    .usage = "--format FORMAT [-o FILE] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "blast6, userout, uc  as written by vsearch\n"
        "phylip, column       distances (1 - identity), as read by mothur\n"
        "paf                  as written by minimap2, with cg tags\n"
        "npy                  square float32 matrix of identities; NaN where missing\n"
        "\n"
        "fasta                the sequences that were aligned, without references\n"
        "\n"
        "fasta, with --groups the representatives of OTUs, as PREFIX.reps.fasta\n"
        "fasta of ASVs        those, as `denoise --asvs`\n"
        "uc, with --groups    OTUs as vsearch writes clusters: records S, H and C\n"
        "otumap               a line per record: name, tab, OTU\n"
        "otutab               OTUs by samples, as PREFIX.otus.tsv of `cluster`\n"
        "shared               the same for mothur, one line per sample\n"
        "constaxonomy         the lineage of each OTU, for mothur\n"
        "biom, biom-json      the same as BIOM 2.1 (HDF5) and BIOM 1.0 (JSON)\n"
        "                     (otutab and these also of ASVs, without --groups)\n"
        "\n"
        "blast6, paf, uc of pairs and some fields need alignments: `ribogrid align "
        "--emit\ncigar`.\n"
        "phylip and npy need a file of all pairs.\n"
        "docs/exports.md describes every column.\n",
    .example = "ribogrid export pairs.h5 --format column --id 0.97 -o pairs.dist",
    .reads_results = true,
    .run = run,
};
