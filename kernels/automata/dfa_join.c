/*
 * dfa_join.c - appends arrays, and moves what counts from the begin of them.
 */
#include "kernels/automata/dfa_join.h"

/* Append n numbers. */
static status_t append(buf_t *to, const int32_t *values, int64_t n)
{
    return buf_append(to, values, (size_t)n * sizeof(*values));
}

/* Append where rows end, moved up to where the rows of earlier ones end.
 * @param first  [n + 1] */
static status_t append_ends(buf_t *to, const int64_t *first, int64_t n, int64_t by)
{
    status_t st = ST_OK;

    for (int64_t k = 1; st == ST_OK && k <= n; k++)
        st = buf_append(to, &(int64_t){first[k] + by}, sizeof(*first));
    return st;
}

/* What no set has: state, live and listed 0, and the output of nothing, output 0. */
static status_t begin(dfa_joiner_t *j)
{
    const int64_t none[2] = {0, 0};
    status_t st = buf_append(&j->first_state, none, sizeof(none[0]));

    j->set.n_outputs = 1;
    if (st == ST_OK && (st = buf_append(&j->first_live, none, sizeof(none[0]))) == ST_OK)
        st = buf_append(&j->first_listed, none, sizeof(none));
    return st;
}

/* Append outputs; output 0 is that of all groups. */
static status_t append_outputs(dfa_joiner_t *j, const dfa_set_t *d)
{
    const int32_t shift = (int32_t)j->set.n_outputs - 1;
    status_t st = ST_OK;

    if (d->n_outputs > 1)
        st = append_ends(&j->first_listed, d->first_listed + 1, d->n_outputs - 1,
                         j->set.n_listed);
    for (int64_t s = 0; st == ST_OK && s < d->n_states; s++)
        st = buf_append(&j->output,
                        &(int32_t){d->output[s] == 0 ? 0 : d->output[s] + shift},
                        sizeof(*d->output));
    return st == ST_OK ? append(&j->listed, d->listed, d->n_listed) : st;
}

/* Append the groups of a set. */
static status_t append_groups(dfa_joiner_t *j, const dfa_set_t *d)
{
    status_t st = j->set.n_outputs == 0 ? begin(j) : ST_OK;

    if (st != ST_OK || (st = append_outputs(j, d)) != ST_OK ||
        (st = buf_append(&j->class_of, d->class_of, (size_t)d->n_groups * 256)) !=
            ST_OK ||
        (st = append(&j->n_classes, d->n_classes, d->n_groups)) != ST_OK ||
        (st = append(&j->middle, d->middle, d->n_groups)) != ST_OK ||
        (st = append(&j->next, d->next, d->n_cells)) != ST_OK ||
        (st = append(&j->live, d->live, d->n_live)) != ST_OK ||
        (st = append_ends(&j->first_live, d->first_live, d->n_states, j->set.n_live)) !=
            ST_OK ||
        (st = append_ends(&j->first_state, d->first_state, d->n_groups,
                          j->set.n_states)) != ST_OK)
        return st;
    j->set.n_groups += d->n_groups;
    j->set.n_states += d->n_states;
    j->set.n_cells += d->n_cells;
    j->set.n_live += d->n_live;
    j->set.n_listed += d->n_listed;
    if (d->n_outputs > 1)
        j->set.n_outputs += d->n_outputs - 1;
    return ST_OK;
}

status_t dfa_join_one(dfa_joiner_t *j, const dfa_t *d)
{
    int32_t n_classes = d->n_classes, middle = d->middle;
    int64_t first_state[] = {0, d->n_states};
    const dfa_set_t one = {.n_groups = 1,
                           .n_states = d->n_states,
                           .n_cells = (int64_t)d->n_states * d->n_classes,
                           .n_live = (int64_t)(d->live.len / sizeof(int32_t)),
                           .n_outputs = d->n_outputs,
                           .n_listed = (int64_t)(d->listed.len / sizeof(int32_t)),
                           .class_of = (uint8_t *)(uintptr_t)d->class_of,
                           .n_classes = &n_classes,
                           .middle = &middle,
                           .first_state = first_state,
                           .next = (void *)d->next.data,
                           .output = (void *)d->output.data,
                           .first_live = (void *)d->first_live.data,
                           .live = (void *)d->live.data,
                           .first_listed = (void *)d->first_listed.data,
                           .listed = (void *)d->listed.data};

    return append_groups(j, &one);
}

status_t dfa_join_pattern(dfa_joiner_t *j, int32_t group)
{
    j->set.n_patterns++;
    return append(&j->group, &group, 1);
}

status_t dfa_join_set(dfa_joiner_t *j, const dfa_set_t *d)
{
    const int32_t before = (int32_t)j->set.n_groups;
    status_t st = append_groups(j, d);

    for (int64_t k = 0; st == ST_OK && k < d->n_patterns; k++)
        st = dfa_join_pattern(j, d->group[k] < 0 ? -1 : d->group[k] + before);
    return st;
}

status_t dfa_join_finish(dfa_joiner_t *j, status_t st, dfa_set_t *out)
{
    buf_t *const all[] = {&j->group,        &j->class_of,    &j->n_classes,
                          &j->middle,       &j->first_state, &j->next,
                          &j->output,       &j->first_live,  &j->live,
                          &j->first_listed, &j->listed};

    if (st == ST_OK && j->set.n_outputs == 0)
        st = begin(j);
    for (size_t k = 0; st == ST_OK && k < sizeof(all) / sizeof(all[0]); k++)
        st = buf_reserve(all[k], 1); /* none is NULL, however few there are */
    j->set.group = (void *)j->group.data;
    j->set.class_of = j->class_of.data;
    j->set.n_classes = (void *)j->n_classes.data;
    j->set.middle = (void *)j->middle.data;
    j->set.first_state = (void *)j->first_state.data;
    j->set.next = (void *)j->next.data;
    j->set.output = (void *)j->output.data;
    j->set.first_live = (void *)j->first_live.data;
    j->set.live = (void *)j->live.data;
    j->set.first_listed = (void *)j->first_listed.data;
    j->set.listed = (void *)j->listed.data;
    if (st == ST_OK)
        *out = j->set;
    else
        dfa_set_free(&j->set);
    *j = (dfa_joiner_t){.set = {.n_patterns = 0}};
    return st;
}
