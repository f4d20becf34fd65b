/*
 * align_presets.c - the table of presets; docs/identity.md has the sources.
 */
#include "worker/align/align_opts.h"

#include "io/base/halves.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Scores and costs are in halves; 0 where another member takes their place. */
typedef struct {
    const char *name;
    const char *matrix; /* NULL: match, mismatch and ambiguity */
    int64_t match, mismatch;
    align_ambiguity_t ambiguity;
    int64_t gap; /* 0: gap_open and gap_extend */
    int64_t gap_open, gap_extend;
    int64_t end_gap_open, end_gap_extend; /* 0: `ends` */
    align_ends_t ends;
    bool is_local; /* instead of `ends` and iddef */
    identity_def_t iddef;
    fraction_t min_overlap; /* where ends are not counted */
} preset_t;

#define ALL_OVERLAPS \
    {                \
        0, 1         \
    }

static const preset_t presets[ALIGN_PRESETS] = {
    {.name = "vsearch",
     .match = 2 * 2,
     .mismatch = 2 * -4,
     .ambiguity = AMBIGUITY_NEUTRAL,
     .gap_open = 2 * 20,
     .gap_extend = 2 * 2,
     .end_gap_open = 2 * 2,
     .end_gap_extend = 2 * 1,
     .iddef = IDENTITY_INNER_COLUMNS,
     .min_overlap = {1, 2}}, /* vsearch has none; without one --id filters nothing */
    {.name = "mothur",
     .match = 2 * 1,
     .mismatch = 2 * -1,
     .ambiguity = AMBIGUITY_SAME,
     .gap = 2 * -2,
     .ends = ENDS_FREE,
     .iddef = IDENTITY_ONEGAP_ENDS,
     .min_overlap = ALL_OVERLAPS},
    {.name = "needle",
     .matrix = "NUC.4.4",
     .gap_open = 2 * 10,
     .gap_extend = 1,
     .ends = ENDS_FREE,
     .iddef = IDENTITY_ALL_COLUMNS,
     .min_overlap = ALL_OVERLAPS},
    {.name = "blastn",
     .matrix = "BLASTN.2.3",
     .gap_open = 2 * 7,
     .gap_extend = 2 * 2,
     .is_local = true,
     .min_overlap = ALL_OVERLAPS},
    {.name = "unit",
     .match = 0,
     .mismatch = 2 * -1,
     .ambiguity = AMBIGUITY_N_MISMATCH,
     .gap = 2 * -1,
     .ends = ENDS_COUNT,
     .iddef = IDENTITY_ALL_COLUMNS},
};

/* The options of a user, to which those of a preset are added. */
typedef struct {
    const preset_t *preset;
    align_opts_t *opts;
    char *text;
    size_t len;
} adder_t;

static void __attribute__((format(printf, 2, 3))) print(adder_t *a, const char *fmt, ...)
{
    size_t room = ALIGN_PRESET_BYTES - a->len;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(a->text + a->len, room, fmt, args);
    va_end(args);
    a->len += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void add_number(adder_t *a, const char *name, int64_t value, int64_t *at)
{
    given_t *given = &a->opts->common.given;
    const size_t member = (size_t)((char *)at - (char *)a->opts);
    char text[HALVES_TEXT_BYTES];

    if (given_has(given, member))
        return;
    given_add(given, member);
    *at = value;
    print(a, " --%s %s", name, halves_text(value, text));
}

static void add_columns(adder_t *a)
{
    const preset_t *p = a->preset;
    align_opts_t *o = a->opts;
    bool has_values =
        IS_GIVEN(o, match) || IS_GIVEN(o, mismatch) || IS_GIVEN(o, ambiguity);

    if (o->matrix != NULL || (p->matrix != NULL && has_values))
        return;
    o->dna_only = "--preset without --matrix";
    o->dna_remedy = "give --matrix BLOSUM62";
    if (p->matrix != NULL) {
        o->matrix = p->matrix;
        print(a, " --matrix %s", p->matrix);
        return;
    }
    add_number(a, "match", p->match, &o->match);
    add_number(a, "mismatch", p->mismatch, &o->mismatch);
    if (!IS_GIVEN(o, ambiguity)) {
        GIVE(o, ambiguity, p->ambiguity);
        print(a, " --ambiguity %s", align_ambiguity_name[p->ambiguity]);
    }
}

static void add_gaps(adder_t *a)
{
    const preset_t *p = a->preset;
    align_opts_t *o = a->opts;
    bool has_costs = IS_GIVEN(o, gap_open) || IS_GIVEN(o, gap_extend);

    if (IS_GIVEN(o, gap) || (p->gap != 0 && has_costs))
        return;
    if (p->gap != 0) {
        add_number(a, "gap", p->gap, &o->gap);
        return;
    }
    add_number(a, "gap-open", p->gap_open, &o->gap_open);
    add_number(a, "gap-extend", p->gap_extend, &o->gap_extend);
}

static void add_ends(adder_t *a)
{
    const preset_t *p = a->preset;
    align_opts_t *o = a->opts;
    bool has_costs = IS_GIVEN(o, end_gap_open) || IS_GIVEN(o, end_gap_extend);

    if (o->mode == MODE_LOCAL || IS_GIVEN(o, ends) || (p->end_gap_open == 0 && has_costs))
        return;
    if (p->is_local && !IS_GIVEN(o, mode)) {
        GIVE(o, mode, MODE_LOCAL);
        print(a, " --mode local");
        return;
    }
    if (p->end_gap_open == 0) {
        GIVE(o, ends, p->ends);
        print(a, " --ends %s", align_ends_name[p->ends]);
        return;
    }
    add_number(a, "end-gap-open", p->end_gap_open, &o->end_gap_open);
    add_number(a, "end-gap-extend", p->end_gap_extend, &o->end_gap_extend);
}

/* Options of identities, where these apply. */
static void add_identity(adder_t *a)
{
    align_opts_t settled = *a->opts, *o = a->opts;
    char why[JOB_OPTS_WHY_BYTES];

    if (o->emit == EMIT_SCORE || align_opts_settle_scores(&settled, why) != ST_OK)
        return;
    if (settled.ends == ENDS_LOCAL && !a->preset->is_local)
        return; /* they are of other alignments */
    if (!a->preset->is_local && !IS_GIVEN(o, iddef) && settled.ends != ENDS_QUERY) {
        GIVE(o, iddef, a->preset->iddef);
        print(a, " --iddef %s", identity_def_name[o->iddef]);
    }
    if (!IS_GIVEN(o, min_overlap) && a->preset->min_overlap.denominator != 0 &&
        align_ends_limit_overlap(settled.ends)) {
        GIVE(o, min_overlap, a->preset->min_overlap);
        print(a, " --min-overlap %g", fraction_value(&o->min_overlap));
    }
}

void align_preset_apply(int preset, align_opts_t *opts, char text[ALIGN_PRESET_BYTES])
{
    adder_t a = {&presets[preset], opts, text, 0};

    text[0] = text[1] = '\0';
    add_columns(&a);
    add_gaps(&a);
    add_ends(&a);
    add_identity(&a);
    memmove(text, text + 1, strlen(text + 1) + 1); /* without the first blank */
}

const char *align_preset_name(int preset)
{
    return presets[preset].name;
}

void align_preset_print_all(FILE *to)
{
    for (int i = 0; i < ALIGN_PRESETS; i++) {
        align_opts_t opts = align_opts_defaults();
        char text[ALIGN_PRESET_BYTES];

        align_preset_apply(i, &opts, text);
        fprintf(to, "  %-8s %s\n", presets[i].name, text);
    }
}
