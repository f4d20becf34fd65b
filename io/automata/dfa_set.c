/*
 * dfa_set.c - deterministic automata: their arrays and checks.
 */
#include "io/automata/dfa_set.h"

ARRAY_COUNT(n_patterns, dfa_set_t, o->n_patterns)
ARRAY_COUNT(n_class_bytes, dfa_set_t, o->n_groups * 256)
ARRAY_COUNT(n_groups, dfa_set_t, o->n_groups)
ARRAY_COUNT(n_group_starts, dfa_set_t, o->n_groups + 1)
ARRAY_COUNT(n_states, dfa_set_t, o->n_states)
ARRAY_COUNT(n_state_starts, dfa_set_t, o->n_states + 1)
ARRAY_COUNT(n_cells, dfa_set_t, o->n_cells)
ARRAY_COUNT(n_live, dfa_set_t, o->n_live)
ARRAY_COUNT(n_output_starts, dfa_set_t, o->n_outputs + 1)
ARRAY_COUNT(n_listed, dfa_set_t, o->n_listed)

static bool is_valid(const void *object)
{
    const dfa_set_t *d = object;

    return d->n_patterns >= 0 && d->n_patterns < INT32_MAX && d->n_groups >= 0 &&
           d->n_groups <= d->n_patterns && d->n_states >= 0 && d->n_states < INT64_MAX &&
           d->n_cells >= 0 && d->n_live >= 0 && d->n_outputs >= 0 &&
           d->n_outputs < INT32_MAX && d->n_listed >= 0;
}

static const array_t rows[] = {
    ARRAY_VALUE(dfa_set_t, n_patterns, ARRAY_INT64),
    ARRAY_VALUE(dfa_set_t, n_groups, ARRAY_INT64),
    ARRAY_VALUE(dfa_set_t, n_states, ARRAY_INT64),
    ARRAY_VALUE(dfa_set_t, n_cells, ARRAY_INT64),
    ARRAY_VALUE(dfa_set_t, n_live, ARRAY_INT64),
    ARRAY_VALUE(dfa_set_t, n_outputs, ARRAY_INT64),
    ARRAY_VALUE(dfa_set_t, n_listed, ARRAY_INT64),
    ARRAY_OF(dfa_set_t, group, ARRAY_INT32, n_patterns),
    ARRAY_OF(dfa_set_t, class_of, ARRAY_BYTES, n_class_bytes),
    ARRAY_OF(dfa_set_t, n_classes, ARRAY_INT32, n_groups),
    ARRAY_OF(dfa_set_t, middle, ARRAY_INT32, n_groups),
    ARRAY_OF(dfa_set_t, first_state, ARRAY_INT64, n_group_starts),
    ARRAY_OF(dfa_set_t, next, ARRAY_INT32, n_cells),
    ARRAY_OF(dfa_set_t, fallback, ARRAY_INT32, n_states, .is_optional = true),
    ARRAY_OF(dfa_set_t, first_cell, ARRAY_INT64, n_state_starts, .is_optional = true),
    ARRAY_OF(dfa_set_t, cell_class, ARRAY_BYTES, n_cells, .is_optional = true),
    ARRAY_OF(dfa_set_t, output, ARRAY_INT32, n_states),
    ARRAY_OF(dfa_set_t, first_live, ARRAY_INT64, n_state_starts),
    ARRAY_OF(dfa_set_t, live, ARRAY_INT32, n_live),
    ARRAY_OF(dfa_set_t, first_listed, ARRAY_INT64, n_output_starts),
    ARRAY_OF(dfa_set_t, listed, ARRAY_INT32, n_listed),
    ARRAYS_END};

const arrays_t dfa_set_arrays = {"deterministic automata", sizeof(dfa_set_t), rows,
                                 is_valid};

void dfa_set_free(dfa_set_t *d)
{
    arrays_free(&dfa_set_arrays, d);
}

/* @return whether a row is whole, or the rest of it is that of an earlier state */
static bool is_row(const dfa_set_t *d, int64_t g, int64_t state)
{
    const int64_t s = d->first_state[g] + state, begin = d->first_cell[s];

    for (int64_t k = begin; k < d->first_cell[s + 1]; k++)
        if (d->cell_class[k] >= d->n_classes[g] ||
            (k > begin && d->cell_class[k] <= d->cell_class[k - 1]))
            return false;
    return d->fallback[s] >= 0
               ? d->fallback[s] < state
               : d->fallback[s] == -1 && d->first_cell[s + 1] - begin == d->n_classes[g];
}

/* @return whether all rows of a group are there */
static bool has_rows(const dfa_set_t *d, int64_t g, int64_t n)
{
    bool are_rows = true;

    for (int64_t s = 0; are_rows && s < n; s++)
        are_rows = is_row(d, g, s);
    return are_rows;
}

/* Check a group. @param cell  its first cell; out: that of the next group
 * @return NULL, or what is wrong */
static const char *check_group(const dfa_set_t *d, int64_t g, int64_t *cell)
{
    const int64_t n = d->first_state[g + 1] - d->first_state[g];
    const int32_t n_classes = d->n_classes[g];
    int64_t end;

    if (n < 1 || n > INT32_MAX)
        return "a group has no states, or too many";
    if (n_classes < 1 || n_classes > 256 ||
        (!dfa_set_is_compressed(d) && n > (d->n_cells - *cell) / n_classes))
        return "a group has another number of classes";
    if (dfa_set_is_compressed(d) && !has_rows(d, g, n))
        return "a state has neither a row nor a default";
    if (d->middle[g] < -1 || d->middle[g] >= n)
        return "a group lacks the state within a record";
    for (int byte = 0; byte < 256; byte++)
        if (d->class_of[g * 256 + byte] >= n_classes)
            return "a byte has an unknown class";
    end = dfa_set_is_compressed(d) ? d->first_cell[d->first_state[g + 1]]
                                   : *cell + n * n_classes;
    for (; *cell < end; ++*cell)
        if (d->next[*cell] < 0 || d->next[*cell] >= n)
            return "a state leads to an unknown one";
    return NULL;
}

/* The patterns of a set. */
typedef struct {
    const nfa_t *nfa;
    int64_t first;
    const int32_t *of; /* [n_positions] */
} patterns_t;

/* @return whether a pattern, as all are numbered, has a group */
static bool is_of_group(const dfa_set_t *d, const patterns_t *p, int32_t pattern,
                        int64_t group)
{
    return pattern >= p->first && pattern < p->first + d->n_patterns &&
           d->group[pattern - p->first] == group;
}

/* @return whether a state's positions ascend, and are of patterns of its group */
static bool are_live(const dfa_set_t *d, const patterns_t *p, int64_t group,
                     int64_t state)
{
    for (int64_t k = d->first_live[state]; k < d->first_live[state + 1]; k++)
        if (d->live[k] < 0 || d->live[k] >= p->nfa->n_positions ||
            !is_of_group(d, p, p->of[d->live[k]], group) ||
            (k > d->first_live[state] && d->live[k] <= d->live[k - 1]))
            return false;
    return true;
}

static const char *check_states(const dfa_set_t *d, const patterns_t *p)
{
    for (int64_t g = 0; g < d->n_groups; g++)
        for (int64_t s = d->first_state[g]; s < d->first_state[g + 1]; s++) {
            if (d->output[s] < 0 || d->output[s] >= d->n_outputs)
                return "a state has an unknown output";
            if (!are_live(d, p, g, s))
                return "a state has positions of another group";
        }
    return NULL;
}

static const char *check_outputs(const dfa_set_t *d, int64_t first)
{
    if (d->n_groups > 0 && (d->n_outputs < 1 || d->first_listed[1] != 0))
        return "the first output is not that of nothing";
    for (int64_t k = 0; k < d->n_outputs; k++)
        for (int64_t e = d->first_listed[k]; e < d->first_listed[k + 1]; e++)
            if (d->listed[e] < 0 || dfa_listed_pattern(d->listed[e]) < first ||
                dfa_listed_pattern(d->listed[e]) >= first + d->n_patterns ||
                (e > d->first_listed[k] && dfa_listed_pattern(d->listed[e]) <=
                                               dfa_listed_pattern(d->listed[e - 1])))
                return "an output has unknown patterns, or they do not ascend";
    return NULL;
}

const char *dfa_set_misfit(const dfa_set_t *d, const nfa_t *nfa, int64_t first,
                           const int32_t *pattern_of)
{
    const patterns_t patterns = {nfa, first, pattern_of};
    const char *wrong = NULL;
    int64_t cell = 0;

    if (first + d->n_patterns > nfa->n_patterns)
        return "it has groups of other patterns";
    for (int64_t k = 0; k < d->n_patterns; k++)
        if (d->group[k] < -1 || d->group[k] >= d->n_groups)
            return "a pattern has an unknown group";
    if (!arrays_divide(d->first_state, d->n_groups, d->n_states) ||
        !arrays_divide(d->first_live, d->n_states, d->n_live) ||
        !arrays_divide(d->first_listed, d->n_outputs, d->n_listed))
        return "states or outputs do not follow each other";
    if ((d->first_cell == NULL) != (d->fallback == NULL) ||
        (d->first_cell == NULL) != (d->cell_class == NULL) ||
        (dfa_set_is_compressed(d) &&
         !arrays_divide(d->first_cell, d->n_states, d->n_cells)))
        return "the cells of states do not follow each other";
    for (int64_t g = 0; g < d->n_groups && wrong == NULL; g++)
        wrong = check_group(d, g, &cell);
    if (wrong == NULL && cell != d->n_cells)
        return "it has cells of no state";
    if (wrong == NULL)
        wrong = check_states(d, &patterns);
    return wrong != NULL ? wrong : check_outputs(d, first);
}
