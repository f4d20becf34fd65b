/*
 * rg_align_options.c - options of alignments: words and numbers are checked here, their
 * combinations by the job "align".
 */
#include "library/rg_align_options.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_format.h"
#include "io/pairs/pairs_order.h"
#include "library/rg_context.h"
#include "library/rg_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const strand_name[] = {"plus", "both"};
static const char *const mode_name[] = {"global", "local"};
static const char *const band_name[] = {"auto", "off"};

void rg_align_options_init(rg_align_options_t *options, size_t size)
{
    const rg_align_options_t defaults = {.size = size,
                                         .match = NAN,
                                         .mismatch = NAN,
                                         .gap = NAN,
                                         .gap_open = NAN,
                                         .gap_extend = NAN,
                                         .end_gap_open = NAN,
                                         .end_gap_extend = NAN,
                                         .id = NAN,
                                         .min_overlap = NAN};

    if (options != NULL)
        memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

/* A word, if it is given. */
typedef struct {
    const char *name, *word;
    const char *const *words;
    int n_words;
    void *to; /* an enum: the index of the word */
} word_t;

static status_t take_word(const word_t *w, align_opts_t *o)
{
    int index = 0;
    status_t st;

    if (w->word == NULL)
        return ST_OK;
    if ((st = rg_word_find(w->name, w->word, w->words, w->n_words, &index)) != ST_OK)
        return st;
    given_add(&o->common.given, (size_t)((char *)w->to - (char *)o));
    memcpy(w->to, &index, sizeof(index));
    return ST_OK;
}

static status_t take_words(const rg_align_options_t *g, align_opts_t *o)
{
    const word_t words[] = {
        {"emit", g->emit, align_emit_name, 3, &o->emit},
        {"mode", g->mode, mode_name, 2, &o->mode},
        {"ends", g->ends, align_ends_name, ENDS_QUERY + 1, &o->ends},
        {"strand", g->strand, strand_name, 2, &o->strand},
        {"ambiguity", g->ambiguity, align_ambiguity_name, 5, &o->ambiguity},
        {"iddef", g->iddef, identity_def_name, IDENTITY_DEFS, &o->iddef},
        {"cigar_style", g->cigar_style, cigar_style_name, 2, &o->cigar_style},
        {"band", g->band, band_name, 2, &o->band}};
    status_t st = ST_OK;

    _Static_assert(sizeof(o->emit) == sizeof(int), "an enum is an int");
    for (size_t i = 0; st == ST_OK && i < sizeof(words) / sizeof(words[0]); i++)
        st = take_word(&words[i], o);
    return st;
}

/* A score or cost, if it is given; in halves. */
typedef struct {
    const char *name;
    double value;
    int64_t min, max; /* in halves */
    int64_t *to;
} number_t;

static status_t take_number(const number_t *n, align_opts_t *o)
{
    const double halves = 2 * n->value;

    if (isnan(n->value))
        return ST_OK;
    if (halves != floor(halves) || halves < (double)n->min || halves > (double)n->max) {
        log_error("%s of %g: give a multiple of 0.5 from %g to %g", n->name, n->value,
                  (double)n->min / 2, (double)n->max / 2);
        return ST_EUSAGE;
    }
    *n->to = (int64_t)halves;
    given_add(&o->common.given, (size_t)((char *)n->to - (char *)o));
    return ST_OK;
}

static status_t take_numbers(const rg_align_options_t *g, align_opts_t *o)
{
    const int64_t max = PAIRS_JOB_SCORE_MAX;
    const number_t numbers[] = {{"match", g->match, -max, max, &o->match},
                                {"mismatch", g->mismatch, -max, max, &o->mismatch},
                                {"gap", g->gap, -max, -1, &o->gap},
                                {"gap_open", g->gap_open, 1, max, &o->gap_open},
                                {"gap_extend", g->gap_extend, 1, max, &o->gap_extend},
                                {"end_gap_open", g->end_gap_open, 0, max,
                                 &o->end_gap_open},
                                {"end_gap_extend", g->end_gap_extend, 0, max,
                                 &o->end_gap_extend}};
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        st = take_number(&numbers[i], o);
    return st;
}

static status_t take_fraction(const char *name, double value, align_opts_t *o,
                              fraction_t *to)
{
    if (isnan(value))
        return ST_OK;
    given_add(&o->common.given, (size_t)((char *)to - (char *)o));
    return rg_fraction_take(name, value, to);
}

static status_t take_preset(const char *name, align_opts_t *o)
{
    const char *names[ALIGN_PRESETS];
    char text[ALIGN_PRESET_BYTES];
    int preset = 0;
    status_t st;

    if (name == NULL)
        return ST_OK;
    for (int i = 0; i < ALIGN_PRESETS; i++)
        names[i] = align_preset_name(i);
    if ((st = rg_word_find("preset", name, names, ALIGN_PRESETS, &preset)) == ST_OK)
        align_preset_apply(preset, o, text);
    return st;
}

static status_t take_top(const rg_align_options_t *g, align_opts_t *o)
{
    if (g->top < 0 || g->top > PAIRS_TOP_MAX) {
        log_error("top of %" PRId64 ": give 0 to %d", g->top, PAIRS_TOP_MAX);
        return ST_EUSAGE;
    }
    o->top = g->top;
    return ST_OK;
}

status_t rg_align_options_settle(const rg_align_options_t *g, bool has_references,
                                 alphabet_t alphabet, align_opts_t *out)
{
    align_opts_t o = align_opts_defaults();
    char why[JOB_OPTS_WHY_BYTES];
    status_t st;

    o.fasta.alphabet = alphabet;
    o.against = has_references ? "references" : NULL;
    o.matrix = g->matrix;
    o.common.kernel = g->kernel != NULL ? g->kernel : "auto";
    if ((st = take_words(g, &o)) != ST_OK || (st = take_numbers(g, &o)) != ST_OK ||
        (st = take_fraction("id", g->id, &o, &o.min_identity)) != ST_OK ||
        (st = take_fraction("min_overlap", g->min_overlap, &o, &o.min_overlap)) !=
            ST_OK ||
        (st = take_top(g, &o)) != ST_OK || (st = take_preset(g->preset, &o)) != ST_OK)
        return st;
    if ((st = align_opts_settle_job(&o, why)) != ST_OK) {
        log_error("%s", why);
        return st;
    }
    *out = o;
    return ST_OK;
}
