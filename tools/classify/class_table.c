/*
 * class_table.c - figures of each trial, collected by row.
 */
#include "tools/classify/class_table.h"

#include "io/report/svg_color.h"
#include "io/report/svg_draw.h"

#include <string.h>

#define NOVELTY_RATE 0.25

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

const char *class_table_method(int method)
{
    return method < CLASS_BENCH_METHODS ? class_bench_name[method]
                                        : class_peer_name[method - CLASS_BENCH_METHODS];
}

static class_row_t *row_of(class_table_t *t, class_protocol_t protocol, const char *name)
{
    for (int i = 0; i < t->n_rows; i++)
        if (t->rows[i].protocol == protocol && strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    if (t->n_rows == CLASS_TABLE_ROWS)
        return NULL;
    t->rows[t->n_rows].protocol = protocol;
    snprintf(t->rows[t->n_rows].name, CLASS_TABLE_NAME, "%s", name);
    return &t->rows[t->n_rows++];
}

static void put(class_table_t *t, class_protocol_t protocol, const char *name,
                const double *values)
{
    class_row_t *row = row_of(t, protocol, name);

    if (row == NULL || row->n == CLASS_TABLE_SEEDS)
        return;
    for (int k = 0; k < CLASS_TABLE_COLUMNS; k++)
        row->value[k][row->n] = values[k];
    row->n++;
}

/* Compute the columns of a protocol for one method at one threshold. */
static void measure(class_protocol_t protocol, const class_trial_t *trial, int method,
                    double threshold, double *out)
{
    const class_outcome_t *of = trial->of[method];
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

/* Add a row for one threshold. @param out  [CLASS_TABLE_COLUMNS] */
static void add(class_table_t *t, class_protocol_t protocol, const class_trial_t *trial,
                int method, const char *name, double threshold, double *out)
{
    measure(protocol, trial, method, threshold, out);
    put(t, protocol, name, out);
}

static void add_difference(class_table_t *t, class_protocol_t protocol, const char *name,
                           const double *a, const double *b)
{
    double difference[CLASS_TABLE_COLUMNS];

    for (int k = 0; k < CLASS_TABLE_COLUMNS; k++)
        difference[k] = a[k] - b[k];
    put(t, protocol, name, difference);
}

static int absent_group(class_protocol_t protocol)
{
    return protocol == CLASS_SPLIT ? 0 : CLASS_TRIAL_LEFT_OUT;
}

/* Add a peer at one of its cutoffs, and our methods at the same over-naming. */
static void add_peer(class_table_t *t, const class_trial_t *trial, int peer,
                     double cutoff)
{
    const int method = CLASS_BENCH_METHODS + peer;
    double theirs[CLASS_TABLE_COLUMNS], ours[CLASS_TABLE_COLUMNS];
    char name[2 * CLASS_TABLE_NAME];

    snprintf(name, CLASS_TABLE_NAME, "%s, cutoff %.1f", class_peer_name[peer], cutoff);
    add(t, CLASS_SPLIT, trial, method, name, cutoff, theirs);
    measure(CLASS_SPLIT, trial, CLASS_BENCH_METHODS - 1,
            class_score_threshold(trial->of[CLASS_BENCH_METHODS - 1], trial->n, 0,
                                  theirs[3] / 100),
            ours);
    snprintf(name, CLASS_TABLE_NAME, "  joint instead, minus %s %.1f",
             class_peer_name[peer], cutoff);
    add_difference(t, CLASS_SPLIT, name, ours, theirs);
}

static void add_curve(class_table_t *t, class_protocol_t protocol,
                      const class_trial_t *trial, int method)
{
    for (int k = 0; k < CLASS_TABLE_RATES; k++) {
        const double rate = (double)k / (CLASS_TABLE_RATES - 1);
        double values[CLASS_TABLE_COLUMNS];

        measure(protocol, trial, method,
                class_score_threshold(trial->of[method], trial->n, absent_group(protocol),
                                      rate),
                values);
        t->curve[protocol][method][k] += values[protocol == CLASS_SPLIT ? 0 : 5];
    }
    t->n_trials[protocol][method]++;
}

void class_table_add(class_table_t *t, class_protocol_t protocol,
                     const class_trial_t *trial)
{
    double of[CLASS_BENCH_METHODS][CLASS_TABLE_COLUMNS], ignored[CLASS_TABLE_COLUMNS];

    t->n_queries[protocol] = trial->n_queries;
    add(t, protocol, trial, 0, "nbc, --min-support 0.5", 0.5, ignored);
    add(t, protocol, trial, 0, "nbc, --min-support 0.8", 0.8, ignored);
    for (int m = 0; m < CLASS_BENCH_METHODS; m++) {
        char name[CLASS_TABLE_NAME];

        snprintf(name, sizeof(name), "%s, --novelty-rate %.2f", class_bench_name[m],
                 NOVELTY_RATE);
        add(t, protocol, trial, m, name,
            class_rule_threshold(&trial->rule[m], NOVELTY_RATE), of[m]);
    }
    add_difference(t, protocol, "  joint minus nbc", of[1], of[0]);
    for (int peer = 0; peer < CLASS_PEERS; peer++)
        if (trial->of[CLASS_BENCH_METHODS + peer] != NULL) {
            add_peer(t, trial, peer, 0.5);
            add_peer(t, trial, peer, 0.8);
        }
    for (int m = 0; m < CLASS_TRIAL_METHODS; m++)
        if (trial->of[m] != NULL)
            add_curve(t, protocol, trial, m);
}

static void print_protocol(const class_table_t *t, class_protocol_t p)
{
    printf("%s\n%-42s", titles[p], "");
    for (int k = 0; k < CLASS_TABLE_COLUMNS && columns[p][k] != NULL; k++)
        printf(" %13s", columns[p][k]);
    printf("\n");
    for (int i = 0; i < t->n_rows; i++) {
        const class_row_t *row = &t->rows[i];

        if (row->protocol != p)
            continue;
        printf("%-42s", row->name);
        for (int k = 0; k < CLASS_TABLE_COLUMNS && columns[p][k] != NULL; k++) {
            const class_interval_t x = class_score_interval(row->value[k], row->n);

            if (row->n > 1)
                printf("   %5.1f +-%4.1f", x.mean, x.half);
            else
                printf(" %13.1f", x.mean);
        }
        printf("\n");
    }
}

void class_table_print(const class_table_t *t)
{
    for (int p = 0, n = 0; p < CLASS_PROTOCOLS; p++) {
        if (t->n_trials[p][0] == 0)
            continue;
        if (n++ > 0)
            printf("\n");
        print_protocol(t, (class_protocol_t)p);
    }
}

void class_table_tsv(const class_table_t *t)
{
    printf("protocol\tmethod\tcolumn\tmean\thalf_width\tseeds\n");
    for (int i = 0; i < t->n_rows; i++) {
        const class_row_t *row = &t->rows[i];

        for (int k = 0; k < CLASS_TABLE_COLUMNS && columns[row->protocol][k] != NULL;
             k++) {
            const class_interval_t x = class_score_interval(row->value[k], row->n);

            printf("%s\t%s\t%s\t%.2f\t%.2f\t%d\n", words[row->protocol],
                   row->name + strspn(row->name, " "), columns[row->protocol][k], x.mean,
                   x.half, row->n);
        }
    }
    for (int p = 0; p < CLASS_PROTOCOLS; p++)
        for (int m = 0; m < CLASS_TRIAL_METHODS; m++)
            for (int k = 0; t->n_trials[p][m] > 0 && k < CLASS_TABLE_RATES; k++)
                printf("%s\t%s\tcurve, %d %% of absent named\t%.2f\t\t%d\n", words[p],
                       class_table_method(m), 100 * k / (CLASS_TABLE_RATES - 1),
                       t->curve[p][m][k] / t->n_trials[p][m], t->n_trials[p][m]);
}

enum { PLOT_WIDTH = 360, PLOT_HEIGHT = 300, LEFT = 60, TOP = 40, GAP = 90 };

static void draw_plot(FILE *to, const class_table_t *t, class_protocol_t p, double left)
{
    const svg_axis_t x = {0, 100, left, left + PLOT_WIDTH, false};
    const svg_axis_t y = {0, 100, TOP + PLOT_HEIGHT, TOP, false};
    static const char *const ordinate[] = {"mean accuracy", "known classes named right"};

    svg_draw_bottom(to, &x, TOP + PLOT_HEIGHT, PLOT_HEIGHT, "%", "absent classes named");
    svg_draw_left(to, &y, left, PLOT_WIDTH, "%", ordinate[p]);
    for (int m = 0, place = 0; m < CLASS_TRIAL_METHODS; m++) {
        const char *color = svg_color_category[m];

        if (t->n_trials[p][m] == 0)
            continue;
        fprintf(to, "<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
        for (int k = 0; k < CLASS_TABLE_RATES; k++)
            fprintf(to, "%.1f,%.1f ", svg_draw_at(&x, 100. * k / (CLASS_TABLE_RATES - 1)),
                    svg_draw_at(&y, t->curve[p][m][k] / t->n_trials[p][m]));
        fprintf(to, "'/>\n<text x='%.1f' y='%d' fill='%s' text-anchor='end'>",
                left + PLOT_WIDTH - 8, TOP + PLOT_HEIGHT - 12 - 16 * place++, color);
        svg_draw_text(to, class_table_method(m));
        fprintf(to, "</text>\n");
    }
}

void class_table_draw(FILE *to, const class_table_t *t)
{
    const int width = LEFT + 2 * PLOT_WIDTH + GAP + 20, height = TOP + PLOT_HEIGHT + 60;

    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 "
            "%d %d' font-family='sans-serif' font-size='12'>\n<rect width='100%%' "
            "height='100%%' fill='white'/>\n",
            width, height, width, height);
    for (int p = 0; p < CLASS_PROTOCOLS; p++)
        draw_plot(to, t, (class_protocol_t)p, LEFT + p * (PLOT_WIDTH + GAP));
    fprintf(to, "</svg>\n");
}
