/*
 * class_table.c - figures of each trial, collected by row, as a table, lines and a chart.
 */
#include "bench/classify/class_bench.h"

#include "io/report/report_figures.h"

#include <stdio.h>
#include <string.h>

static const char *method_name(int method)
{
    return method < CLASS_BENCH_METHODS ? class_bench_name[method]
                                        : class_peer_name[method - CLASS_BENCH_METHODS];
}

void class_table_begin(class_table_t *t, const class_data_t *d)
{
    *t = (class_table_t){.n_ranks = d->classes.n_ranks,
                         .has_root = taxonomy_phylum_rank(d->taxonomy) > 2};
}

static class_row_t *row_of(class_table_t *t, class_protocol_t protocol, int rank,
                           const char *name)
{
    class_row_t *row = t->rows;

    for (; row < t->rows + t->n_rows; row++)
        if (row->protocol == protocol && row->rank == rank &&
            strcmp(row->name, name) == 0)
            return row;
    if (t->n_rows == CLASS_TABLE_ROWS)
        return NULL;
    t->n_rows++;
    row->protocol = protocol;
    row->rank = rank;
    snprintf(row->name, CLASS_TABLE_NAME, "%s", name);
    return row;
}

static void put(class_table_t *t, class_protocol_t protocol, int rank, const char *name,
                const double *values)
{
    class_row_t *row = row_of(t, protocol, rank, name);

    if (row == NULL || row->n == CLASS_TABLE_SEEDS)
        return;
    for (int k = 0; k < CLASS_TABLE_COLUMNS; k++)
        row->value[k][row->n] = values[k];
    row->n++;
}

/* ---- the lowest rank ---- */

/* Compute the columns of a protocol for one method at one threshold. */
static void measure(class_protocol_t protocol, const class_trial_t *trial, int method,
                    double threshold, double *out)
{
    const class_outcome_t *of = trial->of[method].outcomes;
    class_score_t s;

    memset(out, 0, CLASS_TABLE_COLUMNS * sizeof(*out));
    if (protocol == CLASS_SPLIT) {
        s = class_score_of(of, trial->n, 0, threshold);
        out[0] = class_score_percent(s.n_right, s.n_known);
        out[1] = class_score_percent(s.n_wrong, s.n_known);
        out[2] = 100 - out[0] - out[1];
        out[3] = class_score_percent(s.n_over_named, s.n_absent);
        return;
    }
    for (int g = 0; g < CLASS_TRIAL_DISTANCES; g++) {
        s = class_score_of(of, trial->n, g, threshold);
        out[g] = class_score_accuracy(&s);
        out[5] += out[g] / CLASS_TRIAL_DISTANCES;
        out[6] += class_score_percent(s.n_wrong, s.n_known) / CLASS_TRIAL_DISTANCES;
        out[7] += class_score_percent(s.n_known - s.n_right - s.n_wrong, s.n_known) /
                  CLASS_TRIAL_DISTANCES;
    }
    s = class_score_of(of, trial->n, CLASS_TRIAL_LEFT_OUT, threshold);
    out[8] = class_score_percent(s.n_over_named, s.n_absent);
}

static void add_difference(class_table_t *t, class_protocol_t protocol, const char *name,
                           const double *a, const double *b)
{
    double difference[CLASS_TABLE_COLUMNS];

    for (int k = 0; k < CLASS_TABLE_COLUMNS; k++)
        difference[k] = a[k] - b[k];
    put(t, protocol, 0, name, difference);
}

static int absent_group(class_protocol_t protocol)
{
    return protocol == CLASS_SPLIT ? 0 : CLASS_TRIAL_LEFT_OUT;
}

/* Add our methods at the over-naming of a peer, minus the peer. @param theirs  its row */
static void add_instead(class_table_t *t, const class_trial_t *trial, int peer,
                        class_setting_t setting, const double *theirs)
{
    for (int m = 0; m < CLASS_BENCH_METHODS; m++) {
        const class_outcome_t *of = trial->of[m].outcomes;
        double ours[CLASS_TABLE_COLUMNS];
        char name[2 * CLASS_TABLE_NAME];

        if (of == NULL)
            continue;
        measure(CLASS_SPLIT, trial, m,
                class_score_threshold(of, trial->n, 0, theirs[3] / 100), ours);
        snprintf(name, sizeof(name), "  %s instead, minus %s %.1f", class_bench_name[m],
                 class_peer_name[peer], class_setting_support[setting]);
        add_difference(t, CLASS_SPLIT, name, ours, theirs);
    }
}

/* ---- ranks above ---- */

static void measure_rank(class_protocol_t protocol, const class_trial_t *trial,
                         int method, int rank, class_setting_t setting, double *out)
{
    const class_depth_t *of = trial->of[method].depths;
    const int absent = protocol == CLASS_SPLIT ? 3 : 6; /* the column */
    class_score_t s;

    memset(out, 0, CLASS_TABLE_COLUMNS * sizeof(*out));
    if (protocol == CLASS_SPLIT) {
        s = class_depth_score(of, trial->n, 0, rank, setting);
        out[0] = class_score_percent(s.n_right, s.n_known);
        out[1] = class_score_percent(s.n_wrong, s.n_known);
        out[2] = 100 - out[0] - out[1];
    } else {
        for (int g = 0; g < CLASS_TRIAL_DISTANCES; g++) {
            s = class_depth_score(of, trial->n, g, rank, setting);
            out[g] = class_score_accuracy(&s);
            out[5] += out[g] / CLASS_TRIAL_DISTANCES;
        }
    }
    s = class_depth_score_absent(of, trial->n, absent_group(protocol), rank, setting);
    out[absent] = class_score_percent(s.n_right, s.n_known);
    out[absent + 1] = class_score_percent(s.n_wrong, s.n_known);
}

/* ---- a trial ---- */

/* Add the rows of a method with one setting. @param out  the lowest rank's */
static void add_method(class_table_t *t, class_protocol_t protocol,
                       const class_trial_t *trial, int method, class_setting_t setting,
                       double *out)
{
    const bool is_peer = method >= CLASS_BENCH_METHODS;
    const class_rule_t *rules = trial->of[method].rules;
    const double threshold =
        setting == CLASS_AT_RATE
            ? class_rule_threshold(&rules[t->n_ranks - 1], trial->novelty_rate)
            : class_setting_support[setting];
    double values[CLASS_TABLE_COLUMNS];
    char name[CLASS_TABLE_NAME];

    if (setting == CLASS_AT_RATE)
        snprintf(name, sizeof(name), "%s, --novelty-rate %g", method_name(method),
                 trial->novelty_rate);
    else
        snprintf(name, sizeof(name), "%s, %s %.1f", method_name(method),
                 is_peer ? "cutoff" : "--min-support", threshold);
    measure(protocol, trial, method, threshold, out);
    put(t, protocol, 0, name, out);
    for (int k = 1; k <= CLASS_TABLE_RANKS && k < t->n_ranks; k++) {
        measure_rank(protocol, trial, method, t->n_ranks - k, setting, values);
        put(t, protocol, t->n_ranks - k, name, values);
    }
}

/* Add the values of a method minus those of another one. */
static void add_minus(class_table_t *t, class_protocol_t protocol, int a, int b,
                      double values[][CLASS_TABLE_COLUMNS])
{
    char name[CLASS_TABLE_NAME];

    snprintf(name, sizeof(name), "  %s minus %s", class_bench_name[a],
             class_bench_name[b]);
    add_difference(t, protocol, name, values[a], values[b]);
}

static void add_ours(class_table_t *t, class_protocol_t protocol,
                     const class_trial_t *trial)
{
    double values[CLASS_BENCH_METHODS][CLASS_TABLE_COLUMNS];
    const class_judged_t *of = trial->of;

    if (of[0].outcomes != NULL) {
        add_method(t, protocol, trial, 0, CLASS_AT_LOW, values[0]);
        add_method(t, protocol, trial, 0, CLASS_AT_HIGH, values[0]);
        add_method(t, protocol, trial, 0, CLASS_AT_RATE, values[0]);
    }
    for (int m = 1; m < CLASS_BENCH_METHODS; m++) {
        if (of[m].outcomes == NULL)
            continue;
        add_method(t, protocol, trial, m, CLASS_AT_RATE, values[m]);
        if (of[0].outcomes != NULL)
            add_minus(t, protocol, m, 0, values);
        if (m > CLASS_BENCH_JOINT && of[CLASS_BENCH_JOINT].outcomes != NULL)
            add_minus(t, protocol, m, CLASS_BENCH_JOINT, values);
    }
}

static void add_curve(class_table_t *t, class_protocol_t protocol,
                      const class_trial_t *trial, int method)
{
    for (int k = 0; k < CLASS_TABLE_RATES; k++) {
        const double rate = (double)k / (CLASS_TABLE_RATES - 1);
        double values[CLASS_TABLE_COLUMNS];

        measure(protocol, trial, method,
                class_score_threshold(trial->of[method].outcomes, trial->n,
                                      absent_group(protocol), rate),
                values);
        t->curve[protocol][method][k] += values[protocol == CLASS_SPLIT ? 0 : 5];
    }
    t->n_trials[protocol][method]++;
}

void class_table_add(class_table_t *t, class_protocol_t protocol,
                     const class_trial_t *trial)
{
    add_ours(t, protocol, trial);
    for (int peer = 0; peer < CLASS_PEERS; peer++)
        for (int k = CLASS_AT_LOW; k <= CLASS_AT_HIGH; k++)
            if (trial->of[CLASS_BENCH_METHODS + peer].outcomes != NULL) {
                double theirs[CLASS_TABLE_COLUMNS];

                add_method(t, protocol, trial, CLASS_BENCH_METHODS + peer,
                           (class_setting_t)k, theirs);
                add_instead(t, trial, peer, (class_setting_t)k, theirs);
            }
    for (int m = 0; m < CLASS_TRIAL_METHODS; m++)
        if (trial->of[m].outcomes != NULL)
            add_curve(t, protocol, trial, m);
}

/* ---- printing and drawing ---- */

static const char *const columns[CLASS_PROTOCOLS][CLASS_TABLE_COLUMNS] = {
    {"100 %", "99 %", "97 %", "95 %", "90 %", "mean", "wrong", "unnamed", "left out"},
    {"right", "wrong", "unnamed", "absent", NULL}};
static const char *const titles[CLASS_PROTOCOLS] = {
    "Accuracy by identity: right of (known + over-named), in percent; wrong and unnamed "
    "of known,\nmeans of all identities; left out: classes without references that get a "
    "name",
    "Split: classes with a gene held out (right, wrong, unnamed) and absent classes that "
    "get a name"};
static const char *const words[CLASS_PROTOCOLS] = {"identity", "split"};

enum { RANK_BYTES = 24 };

/* Of ranks above the lowest. */
static const char *const rank_columns[CLASS_PROTOCOLS][CLASS_TABLE_COLUMNS] = {
    {"100 %", "99 %", "97 %", "95 %", "90 %", "mean", "out, right", "out, wrong", NULL},
    {"right", "wrong", "unnamed", "out, right", "out, wrong", NULL}};
static const char *const rank_titles[CLASS_PROTOCOLS] = {
    "Ranks above, by identity: accuracy as before; out: names of this rank where the "
    "lowest taxon\nhas no references",
    "Ranks above, split: as before; out: names of this rank where the lowest taxon is "
    "absent"};

static const char *const *columns_of(const class_row_t *row)
{
    return row->rank == 0 ? columns[row->protocol] : rank_columns[row->protocol];
}

/* @return the name of a rank, as `report --rank` takes it */
static const char *rank_name(const class_table_t *t, int rank, char text[RANK_BYTES])
{
    static const char *const names[] = {"domain", "phylum", "class",  "order",
                                        "family", "genus",  "species"};
    enum { N_NAMES = sizeof(names) / sizeof(names[0]) };
    const int number = rank - t->has_root;

    if (number >= 1 && number <= N_NAMES)
        return names[number - 1];
    snprintf(text, RANK_BYTES, "rank %d", rank);
    return text;
}

static void print_row(const class_row_t *row)
{
    printf("%-48s", row->name);
    for (int k = 0; k < CLASS_TABLE_COLUMNS && columns_of(row)[k] != NULL; k++) {
        const class_interval_t x = class_score_interval(row->value[k], row->n);

        if (row->n > 1)
            printf("   %5.1f +-%4.1f", x.mean, x.half);
        else
            printf(" %13.1f", x.mean);
    }
    printf("\n");
}

/* Print the rows of a rank, 0 for the lowest, below its name and the columns. */
static void print_rank(const class_table_t *t, class_protocol_t p, int rank)
{
    const char *const *names = rank == 0 ? columns[p] : rank_columns[p];
    char text[RANK_BYTES];

    printf("%-48s", rank == 0 ? "" : rank_name(t, rank, text));
    for (int k = 0; k < CLASS_TABLE_COLUMNS && names[k] != NULL; k++)
        printf(" %13s", names[k]);
    printf("\n");
    for (int i = 0; i < t->n_rows; i++)
        if (t->rows[i].protocol == p && t->rows[i].rank == rank)
            print_row(&t->rows[i]);
}

static bool has_rows(const class_table_t *t, class_protocol_t p, int rank)
{
    for (int i = 0; i < t->n_rows; i++)
        if (t->rows[i].protocol == p && t->rows[i].rank == rank)
            return true;
    return false;
}

void class_table_print(const class_table_t *t)
{
    for (int p = 0, n = 0; p < CLASS_PROTOCOLS; p++) {
        bool is_first = true;

        if (!has_rows(t, (class_protocol_t)p, 0))
            continue;
        printf("%s%s\n", n++ > 0 ? "\n" : "", titles[p]);
        print_rank(t, (class_protocol_t)p, 0);
        for (int rank = t->n_ranks - 1; rank > 0; rank--) {
            if (!has_rows(t, (class_protocol_t)p, rank))
                continue;
            if (is_first)
                printf("\n%s\n", rank_titles[p]);
            is_first = false;
            print_rank(t, (class_protocol_t)p, rank);
        }
    }
}

static void print_number(const class_table_t *t, const class_row_t *row, int column)
{
    const class_interval_t x = class_score_interval(row->value[column], row->n);
    char text[RANK_BYTES];

    printf("%s", words[row->protocol]);
    if (row->rank > 0)
        printf(", %s", rank_name(t, row->rank, text));
    printf("\t%s\t%s\t%.2f\t%.2f\t%d\n", row->name + strspn(row->name, " "),
           columns_of(row)[column], x.mean, x.half, row->n);
}

void class_table_tsv(const class_table_t *t)
{
    printf("protocol\tmethod\tcolumn\tmean\thalf_width\tseeds\n");
    for (int i = 0; i < t->n_rows; i++)
        for (int k = 0; k < CLASS_TABLE_COLUMNS && columns_of(&t->rows[i])[k] != NULL;
             k++)
            print_number(t, &t->rows[i], k);
    for (int p = 0; p < CLASS_PROTOCOLS; p++)
        for (int m = 0; m < CLASS_TRIAL_METHODS; m++)
            for (int k = 0; t->n_trials[p][m] > 0 && k < CLASS_TABLE_RATES; k++)
                printf("%s\t%s\tcurve, %d %% of absent named\t%.2f\t\t%d\n", words[p],
                       method_name(m), 100 * k / (CLASS_TABLE_RATES - 1),
                       t->curve[p][m][k] / t->n_trials[p][m], t->n_trials[p][m]);
}

void class_table_draw(FILE *to, const class_table_t *t)
{
    static const char *const ordinate[] = {"mean accuracy", "known classes named right"};
    double x[CLASS_TABLE_RATES],
        y[CLASS_PROTOCOLS][CLASS_TRIAL_METHODS][CLASS_TABLE_RATES];
    report_series_t series[CLASS_PROTOCOLS][CLASS_TRIAL_METHODS];
    report_lines_t charts[CLASS_PROTOCOLS];

    for (int k = 0; k < CLASS_TABLE_RATES; k++)
        x[k] = 100. * k / (CLASS_TABLE_RATES - 1);
    for (int p = 0; p < CLASS_PROTOCOLS; p++) {
        charts[p] = (report_lines_t){.id = words[p],
                                     .label = titles[p],
                                     .x_title = "absent classes named, %",
                                     .y_title = ordinate[p],
                                     .y_unit = " %",
                                     .y_max = 100,
                                     .series = series[p]};
        for (int m = 0; m < CLASS_TRIAL_METHODS; m++) {
            if (t->n_trials[p][m] == 0)
                continue;
            for (int k = 0; k < CLASS_TABLE_RATES; k++)
                y[p][m][k] = t->curve[p][m][k] / t->n_trials[p][m];
            series[p][charts[p].n_series++] =
                (report_series_t){method_name(m), CLASS_TABLE_RATES, x, y[p][m], true,
                                  false};
        }
    }
    report_lines_picture(to, "Classes named right over absent classes named", charts,
                         CLASS_PROTOCOLS);
}
