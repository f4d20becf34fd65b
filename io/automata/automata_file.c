/*
 * automata_file.c - the arrays of automata as datasets.
 */
#include "io/automata/automata_file.h"

#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <stdlib.h>

enum {
    PATTERNS = 1,
    POSITIONS,
    SET_BYTES,
    EDGES,
    GROUPS,
    CLASS_BYTES,
    STATES,
    CELLS,
    LIVE,
    OUTPUTS,
    LISTED
};

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [PATTERNS] = {"p", "a pattern", "patterns", INT32_MAX / 2},
    [POSITIONS] = {"n", "a position", "positions", INT32_MAX},
    [SET_BYTES] = {"32n", "a byte of a set", "bytes of sets", 0},
    [EDGES] = {"m", "an edge", "edges", 0},
    [GROUPS] = {"g", "a group", "groups", INT32_MAX},
    [CLASS_BYTES] = {"256g", "a byte of a group", "bytes of groups", 0},
    [STATES] = {"s", "a state", "states", 0},
    [CELLS] = {"c", "a cell", "cells", 0},
    [LIVE] = {"l", "a position of a state", "positions of states", 0},
    [OUTPUTS] = {"o", "an output", "outputs", INT32_MAX},
    [LISTED] = {"e", "a pattern of an output", "patterns of outputs", 0},
};

#define AT(member) .arrays = &nfa_arrays, .at = offsetof(nfa_t, member)

static const result_field_t nfa_fields[] = {
    {.name = "/patterns/name",
     .type = RESULT_TEXTS,
     .at = offsetof(nfa_t, name),
     .shape = {PATTERNS},
     .meaning = "patterns as in the input"},
    {.name = "/patterns/first_position",
     AT(first),
     .shape = {PATTERNS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, POSITIONS},
     .meaning = "pattern k has the positions `first_position[k]` to "
                "`first_position[k + 1] - 1`"},
    {.name = "/positions/role",
     AT(role),
     .shape = {POSITIONS},
     .check = {RESULT_WITHIN, 0, NFA_ROLES, 0},
     .meaning = "sum of: 1, a match may start here; 2, at the begin of a record; 4, a "
                "match may end here; 8, at the end of a record"},
    {.name = "/positions/set",
     AT(set),
     .shape = {SET_BYTES},
     .meaning = "32 bytes per position: bit c % 8 of byte c / 8 is set if it consumes "
                "byte c"},
    {.name = "/positions/first_edge",
     AT(first_edge),
     .shape = {POSITIONS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, EDGES},
     .meaning = "position i has the edges `first_edge[i]` to `first_edge[i + 1] - 1`"},
    {.name = "/edges/next",
     AT(next),
     .shape = {EDGES},
     .check = {RESULT_INDEX, 0, 0, POSITIONS},
     .meaning = "the position that may follow; ascending within a position"},
    {.name = NULL},
};

static const result_field_t job_fields[] = {
    {.name = "/run@job",
     .type = RESULT_TEXT,
     .at = offsetof(automata_t, job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

#undef AT
#define AT(member) .arrays = &dfa_set_arrays, .at = offsetof(dfa_set_t, member)

static const result_field_t dfa_fields[] = {
    {.name = "/patterns/group",
     AT(group),
     .shape = {PATTERNS},
     .check = {RESULT_INDEX, -1, 0, GROUPS},
     .meaning = "the group of a pattern; -1: its automaton alone is above the budget"},
    {.name = "/groups/n_classes",
     AT(n_classes),
     .shape = {GROUPS},
     .check = {RESULT_WITHIN, 1, 256, 0},
     .meaning = "classes of bytes"},
    {.name = "/groups/class_of",
     AT(class_of),
     .shape = {CLASS_BYTES},
     .meaning = "256 values per group: the class of each byte"},
    {.name = "/groups/middle",
     AT(middle),
     .shape = {GROUPS},
     .check = {RESULT_WITHIN, -1, INT32_MAX, 0},
     .meaning = "the state within a record before anything has begun; -1: nothing can "
                "begin there. State 0 is where a record begins"},
    {.name = "/groups/first_state",
     AT(first_state),
     .shape = {GROUPS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, STATES},
     .meaning = "group k has the states `first_state[k]` to `first_state[k + 1] - 1`"},
    {.name = "/states/output",
     AT(output),
     .shape = {STATES},
     .check = {RESULT_INDEX, 0, 0, OUTPUTS},
     .meaning = "what is found when a state is entered; 0: nothing"},
    {.name = "/states/first_live",
     AT(first_live),
     .shape = {STATES},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, LIVE},
     .meaning = "state i stands for `live[first_live[i]:first_live[i + 1]]`"},
    {.name = "/states/live",
     AT(live),
     .shape = {LIVE},
     .check = {RESULT_INDEX, 0, 0, POSITIONS},
     .meaning = "positions of patterns that have consumed the last byte, ascending"},
    {.name = "/states/next",
     AT(next),
     .shape = {CELLS},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "rows of the states of all groups: the next state within the group, by "
                "class"},
    {.name = "/states/default",
     AT(fallback),
     .shape = {STATES},
     .is_optional = true,
     .check = {RESULT_WITHIN, -1, INT32_MAX, 0},
     .meaning =
         "of compressed automata, as the next two: classes that a state lacks lead "
         "where they lead from this one, a lower number within the group; -1: the "
         "row is whole"},
    {.name = "/states/first_cell",
     AT(first_cell),
     .shape = {STATES},
     .plus = 1,
     .is_optional = true,
     .check = {RESULT_DIVIDES, 0, 0, CELLS},
     .meaning = "state i has the cells `first_cell[i]` to `first_cell[i + 1] - 1` of "
                "`next`"},
    {.name = "/states/class",
     AT(cell_class),
     .shape = {CELLS},
     .is_optional = true,
     .meaning = "the class of a cell; ascending within a state"},
    {.name = "/outputs/first",
     AT(first_listed),
     .shape = {OUTPUTS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, LISTED},
     .meaning = "output i has `pattern[first[i]:first[i + 1]]`"},
    {.name = "/outputs/pattern",
     AT(listed),
     .shape = {LISTED},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "twice the number of a pattern, ascending; plus 1 if it is found only at "
                "the end of a record"},
    {.name = NULL},
};

const result_kind_t automata_file_kind = {
    .title = "Patterns and automata",
    .maker = "ribogrid automata build",
    .format = "ribogrid-automata",
    .major = 1,
    .minor = 0,
    .what = "a result of `ribogrid automata build`",
    .dims = dims,
    .tables = {nfa_fields, dfa_fields, job_fields},
};

/* ---- in memory ---- */

static const array_t rows[] = {ARRAY_MEMBER(automata_t, nfa, &nfa_arrays),
                               ARRAY_MEMBER(automata_t, dfas, &dfa_set_arrays),
                               ARRAYS_END};

const arrays_t automata_arrays = {"automata", sizeof(automata_t), rows, NULL};

void automata_free(automata_t *a)
{
    arrays_free(&automata_arrays, a);
    free(a->job);
    a->job = NULL;
}

/* ---- the file ---- */

status_t automata_file_write(const char *path, bool force, const automata_t *a,
                             const run_info_t *run, pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[PATTERNS] = a->nfa.n_patterns};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, result_write_format(to.file, &automata_file_kind) &&
                                run_info_write(to.file, run) &&
                                result_write(to.file, job_fields, a, n, pool) &&
                                result_write(to.file, nfa_fields, &a->nfa, n, pool) &&
                                result_write(to.file, dfa_fields, &a->dfas, n, pool));
    return h5whole_close(&to, st);
}

/* Set the counts, and check what no row of a table does. */
static status_t check(const result_reader_t *r, automata_t *a)
{
    const char *wrong;
    int32_t *pattern_of;
    status_t st;

    a->nfa.n_patterns = a->dfas.n_patterns = r->n[PATTERNS];
    a->nfa.n_positions = r->n[POSITIONS];
    a->nfa.n_edges = r->n[EDGES];
    a->dfas.n_groups = r->n[GROUPS];
    a->dfas.n_states = r->n[STATES];
    a->dfas.n_cells = r->n[CELLS];
    a->dfas.n_live = r->n[LIVE];
    a->dfas.n_outputs = r->n[OUTPUTS];
    a->dfas.n_listed = r->n[LISTED];
    if (r->n[SET_BYTES] != r->n[POSITIONS] * (int64_t)sizeof(byte_set_t) ||
        r->n[CLASS_BYTES] != r->n[GROUPS] * 256)
        return result_refuse(r, "/positions/set or /groups/class_of has another length");
    if ((wrong = nfa_misfit(&a->nfa)) != NULL)
        return result_refuse(r, "%s", wrong);
    if ((st = nfa_list_patterns(&a->nfa, &pattern_of)) != ST_OK)
        return st;
    wrong = dfa_set_misfit(&a->dfas, &a->nfa, 0, pattern_of);
    free(pattern_of);
    return wrong == NULL ? ST_OK : result_refuse(r, "%s", wrong);
}

status_t automata_file_read(const char *path, automata_t *out)
{
    result_reader_t r;
    status_t st = result_read_open(path, &automata_file_kind, &r);

    *out = (automata_t){.nfa = {.n_patterns = 0}};
    if (st != ST_OK)
        return st;
    if ((st = result_read(&r, nfa_fields, &out->nfa)) == ST_OK &&
        (st = result_read(&r, dfa_fields, &out->dfas)) == ST_OK &&
        (st = result_read(&r, job_fields, out)) == ST_OK)
        st = check(&r, out);
    result_read_close(&r);
    if (st != ST_OK)
        automata_free(out);
    return st;
}
