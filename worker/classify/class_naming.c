/*
 * class_naming.c - finds the rules of a method in a model, and puts them there.
 */
#include "worker/classify/class_naming.h"

#include "io/base/logmsg.h"
#include "kernels/classify/class_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_LEN = sizeof(class_rule_t) / sizeof(double) };

static const fraction_t default_support = {4, 5}, default_rate = {1, 4};

/* The order of the rules in a model: [these][ranks]. */
static const struct {
    class_method_t method;
    class_prior_t prior;
} learned[] = {{CLASS_JOINT, CLASS_PRIOR_EQUAL},
               {CLASS_JOINT, CLASS_PRIOR_REFERENCES},
               {CLASS_NBC, CLASS_PRIOR_EQUAL},
               {CLASS_ALIGN, CLASS_PRIOR_REFERENCES}};
enum {
    N_WITH_ALIGN = sizeof(learned) / sizeof(learned[0]),
    N_LEARNED = N_WITH_ALIGN - 1
};

static status_t check_rules(const class_opts_t *o, const class_model_t *m, int n_ranks)
{
    if (o->method == CLASS_CHOICE_CNN) {
        log_error("%s is no network; make one of sequences and their lineages with "
                  "`ribogrid cnn train`, or give another --method",
                  o->model);
        return ST_EINPUT;
    }
    if (m->n_rules == 0) {
        if (o->method == CLASS_CHOICE_JOINT || o->method == CLASS_CHOICE_ALIGN ||
            IS_GIVEN(o, prior) || o->novelty_rate.denominator != 0) {
            log_error("%s has not learned what to refuse; train it with --held-out above "
                      "0 and at least two genera, or give --method nbc --min-support",
                      o->model);
            return ST_EINPUT;
        }
        return ST_OK;
    }
    if (o->method == CLASS_CHOICE_ALIGN && m->n_rules == N_LEARNED * n_ranks) {
        log_error("%s has not learned to judge alignments; train it with --align, or "
                  "give another --method",
                  o->model);
        return ST_EINPUT;
    }
    if (m->rule_len == RULE_LEN &&
        (m->n_rules == N_LEARNED * n_ranks || m->n_rules == N_WITH_ALIGN * n_ranks))
        return ST_OK;
    log_error("%s: its rules do not fit its taxa, or are those of another version; make "
              "it again with `ribogrid classify train`",
              o->model);
    return ST_EINPUT;
}

/* A network has no rules, and takes no options of words. */
static status_t check_net(const class_opts_t *o)
{
    if (o->method != CLASS_CHOICE_AUTO && o->method != CLASS_CHOICE_CNN)
        log_error("%s is a network; give --method cnn, or a model that `ribogrid "
                  "classify train` has made of words",
                  o->model);
    else if (o->novelty_rate.denominator != 0)
        log_error("%s is a network, which has not learned what to refuse; give "
                  "--min-support instead of --novelty-rate",
                  o->model);
    else if (o->has_word_options || IS_GIVEN(o, prior))
        log_error("%s is a network: leave out --resamples, --seed and --prior, and give "
                  "--kernel only with --method cnn",
                  o->model);
    else
        return ST_OK;
    return ST_EINPUT;
}

static class_method_t choose_method(const class_opts_t *o, const class_model_t *m,
                                    bool is_net)
{
    if (is_net)
        return CLASS_NBC;
    if (o->method == CLASS_CHOICE_AUTO)
        return m->n_rules > 0 ? CLASS_JOINT : CLASS_NBC;
    return o->method == CLASS_CHOICE_NBC     ? CLASS_NBC
           : o->method == CLASS_CHOICE_ALIGN ? CLASS_ALIGN
                                             : CLASS_JOINT;
}

static void copy_rules(const class_model_t *m, class_naming_t *n)
{
    int at = 0;

    while (learned[at].method != n->method ||
           (n->method == CLASS_JOINT && learned[at].prior != n->prior))
        at++;
    for (int r = 0; m->n_rules > 0 && r < n->n_ranks; r++)
        memcpy(&n->rules[r], m->rules + (at * n->n_ranks + r) * RULE_LEN,
               sizeof(n->rules[r]));
}

/* @param threshold  the smallest probability that is named: 0, or just above that of a
 *                   read of an absent taxon that is not; supports are rounded as that */
static int32_t limit_above(double threshold)
{
    return threshold > 0 ? (int32_t)lround(threshold * CLASS_SUPPORT_ONE) + 1 : 0;
}

status_t class_naming_create(const class_opts_t *o, const class_model_t *m, bool is_net,
                             class_naming_t *out)
{
    const fraction_t *support =
        o->min_support.denominator != 0 ? &o->min_support : &default_support;
    const fraction_t *rate =
        o->novelty_rate.denominator != 0 ? &o->novelty_rate : &default_rate;
    class_naming_t n = {.method = choose_method(o, m, is_net),
                        .prior = o->prior,
                        .n_ranks = class_taxa_n_ranks(&m->taxa)};
    status_t st = is_net ? check_net(o) : check_rules(o, m, n.n_ranks);

    if (st != ST_OK)
        return st;
    n.named_by = is_net ? CLASS_BY_CNN : (class_named_by_t)n.method;
    n.by_rate = m->n_rules > 0 && o->min_support.denominator == 0;
    n.rules = calloc((size_t)n.n_ranks + 1, sizeof(*n.rules));
    n.limit = calloc((size_t)n.n_ranks + 1, sizeof(*n.limit));
    if (n.rules == NULL || n.limit == NULL) {
        class_naming_free(&n);
        return log_nomem("rules");
    }
    copy_rules(m, &n);
    n.rate = fraction_value(rate);
    for (int r = 0; r < n.n_ranks; r++)
        n.limit[r] = n.by_rate
                         ? limit_above(class_rule_threshold(&n.rules[r], n.rate))
                         : (int32_t)lround(fraction_value(support) * CLASS_SUPPORT_ONE);
    *out = n;
    return ST_OK;
}

void class_naming_free(class_naming_t *n)
{
    free(n->rules);
    free(n->limit);
    *n = (class_naming_t){.n_ranks = 0};
}

int class_naming_count(const class_naming_t *n, const uint16_t *support, int len)
{
    int r = len;

    while (r > 0 && support[r - 1] <
                        n->limit[class_rule_at(n->rules, n->n_ranks, len, r) - n->rules])
        r--;
    return r;
}

/* The lowest rank first, and of each the largest support. */
static int compare_absent(const void *a, const void *b)
{
    const class_absent_t *x = a, *y = b;

    return x->rank != y->rank ? y->rank - x->rank : y->support - x->support;
}

/* As many reads as the rate allows may get a name, but not the next one. */
bool class_naming_calibrate(class_naming_t *naming, class_absent_t *absent, int64_t n)
{
    int64_t first = 0;

    qsort(absent, (size_t)n, sizeof(*absent), compare_absent);
    for (int rank = naming->n_ranks; rank > 0; rank--) {
        int64_t end = first, n_named;

        while (end < n && absent[end].rank == rank)
            end++;
        n_named = class_rule_allowed(end - first, naming->rate);
        if (end - first >= CLASS_ABSENT_MIN)
            naming->limit[rank - 1] =
                n_named < end - first ? absent[first + n_named].support + 1 : 0;
        else if (rank < naming->n_ranks)
            naming->limit[rank - 1] = naming->limit[rank];
        else
            return false;
        first = end;
    }
    return true;
}

status_t class_naming_print(const class_naming_t *n, const class_opts_t *o, buf_t *out)
{
    const fraction_t *value = n->by_rate ? &o->novelty_rate : &o->min_support;
    char text[FRACTION_RATIO_BYTES];
    status_t st;

    if (value->denominator == 0)
        value = n->by_rate ? &default_rate : &default_support;
    st = buf_printf(out, "method=%s\n%s=%s\n", class_method_name[n->named_by],
                    n->by_rate ? "novelty_rate" : "min_support",
                    fraction_to_ratio(value, text));
    return st == ST_OK && n->method == CLASS_JOINT
               ? buf_printf(out, "prior=%s\n", class_prior_name[n->prior])
               : st;
}

/* Copy one of the sets of examples. @param out  [n][n_ranks] */
static void choose_set(const class_example_t *examples, int64_t n, int n_ranks,
                       int n_sets, int set, class_example_t *out)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * n_ranks, examples + (i * n_sets + set) * n_ranks,
               (size_t)n_ranks * sizeof(*out));
}

status_t class_naming_learn(const class_example_t *examples, int64_t n, int n_ranks,
                            int n_sets, const char *input, class_model_t *model)
{
    const int n_methods = n_sets == CLASS_SETS_WITH_ALIGN ? N_WITH_ALIGN : N_LEARNED;
    class_rule_t *rules = calloc((size_t)(n_methods * n_ranks), sizeof(*rules));
    class_example_t *set = malloc((size_t)(n * n_ranks) * sizeof(*set) + 1);
    status_t st = ST_OK;

    if (rules == NULL || set == NULL)
        st = log_nomem("rules");
    for (int i = 0; st == ST_OK && i < n_methods; i++) {
        choose_set(examples, n, n_ranks, n_sets, learned[i].method == CLASS_ALIGN, set);
        st = class_case_learn(learned[i].method, learned[i].prior, set, n, n_ranks,
                              rules + i * n_ranks);
    }
    if (st == ST_EINPUT)
        log_error("%s: cannot learn which names to refuse: none of the samples is named "
                  "rightly without itself, or none at all without its taxon; give more "
                  "references of each taxon, more --held-out, or --held-out 0 to learn "
                  "nothing",
                  input);
    free(set);
    if (st != ST_OK) {
        free(rules);
        return st;
    }
    free(model->rules);
    model->rules = (double *)rules;
    model->n_rules = n_methods * n_ranks;
    model->rule_len = RULE_LEN;
    return ST_OK;
}
