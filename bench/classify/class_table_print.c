/*
 * class_table_print.c - the table, lines of numbers, and the chart of curves.
 */
#include "bench/classify/class_table_print.h"

#include "io/report/svg_draw.h"

#include <string.h>

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
