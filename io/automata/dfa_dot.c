/*
 * dfa_dot.c - prints automata: states, what they find, and arrows with bytes.
 */
#include "io/automata/dfa_dot.h"

#include <inttypes.h>

/* Print a text as part of a quoted one. */
static void print_quoted(const char *text, FILE *to)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', to);
        fputc(*text, to);
    }
}

static void print_byte(int byte, FILE *to)
{
    if (byte > ' ' && byte < 127 && byte != '"' && byte != '\\' && byte != '-')
        fputc(byte, to);
    else
        fprintf(to, "\\\\x%02x", (unsigned)byte);
}

/* Print the bytes of the classes that lead from a row to a state, as ranges. */
static void print_bytes(const uint8_t *class_of, const int32_t *row, int32_t next,
                        FILE *to)
{
    for (int first = 0, last; first < 256; first = last + 1) {
        last = first;
        if (row[class_of[first]] != next)
            continue;
        while (last < 255 && row[class_of[last + 1]] == next)
            last++;
        print_byte(first, to);
        if (last > first + 1)
            fputc('-', to);
        if (last > first)
            print_byte(last, to);
    }
}

static void print_state(const dfa_set_t *d, const nfa_t *nfa, int64_t g, int64_t s,
                        FILE *to)
{
    const int32_t output = d->output[d->first_state[g] + s];

    fprintf(to, "    g%" PRId64 "_%" PRId64 " [label=\"%" PRId64, g, s, s);
    for (int64_t k = d->first_listed[output]; k < d->first_listed[output + 1]; k++) {
        fputs("\\n", to);
        print_quoted(nfa->name[dfa_listed_pattern(d->listed[k])], to);
        fputs(dfa_listed_at_end(d->listed[k]) ? " at the end" : "", to);
    }
    fprintf(to, "\"%s];\n", output != 0 ? " shape=doublecircle" : "");
}

/* Print the arrows of a state. @param row  [n_classes] */
static void print_arrows(const dfa_set_t *d, int64_t g, int64_t s, const int32_t *row,
                         FILE *to)
{
    const int32_t back = d->middle[g] < 0 ? 0 : d->middle[g];

    for (int32_t c = 0; c < d->n_classes[g]; c++) {
        bool is_first = row[c] != back;

        for (int32_t before = 0; is_first && before < c; before++)
            is_first = row[before] != row[c];
        if (!is_first)
            continue;
        fprintf(to, "    g%" PRId64 "_%" PRId64 " -> g%" PRId64 "_%" PRId32 " [label=\"",
                g, s, g, row[c]);
        print_bytes(d->class_of + g * 256, row, row[c], to);
        fputs("\"];\n", to);
    }
}

void dfa_dot_print(const dfa_set_t *d, const nfa_t *nfa, FILE *to)
{
    const int32_t *row = d->next;

    fputs("digraph automata {\n  rankdir=LR;\n  node [shape=circle];\n", to);
    for (int64_t g = 0; g < d->n_groups; g++) {
        const int64_t n = d->first_state[g + 1] - d->first_state[g];

        fprintf(to,
                "  subgraph cluster_%" PRId64 " {\n    label=\"group %" PRId64 "\";\n", g,
                g);
        for (int64_t s = 0; s < n; s++, row += d->n_classes[g]) {
            print_state(d, nfa, g, s, to);
            print_arrows(d, g, s, row, to);
        }
        fputs("  }\n", to);
    }
    fputs("}\n", to);
}
