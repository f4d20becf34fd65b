/*
 * swap_ahead.c - the policy "plan": all uses are known, so that the gaps are chosen
 * together.
 *
 * To take a gap costs the bytes that it moves, and saves memory at the places where the
 * tensor is out.  While too much lives anywhere, the gap is taken that saves most of what
 * is too much, per byte moved; then gaps are given back that later ones have made
 * needless, the most expensive first (a greedy set cover, and reverse deletion).
 *
 * Then fetches move forward while there is room, as far as the copy takes beside the
 * steps.
 */
#include "cnn/memory/swap_gaps.h"

#include <math.h>

static const double strict_flops_per_s = 5e13, flops_per_s = 1.7e14,
                    copied_per_s = 5.4e10;

/* @return bytes that kernels of a kind read and write in a second; some read twice */
static double bytes_per_s(cnn_kind_t kind)
{
    return kind == CNN_KIND_POOL || kind == CNN_KIND_BATCH_NORM ? 1.7e12 : 4e12;
}

double swap_ahead_step_s(const cnn_program_t *p, const cnn_step_t *s)
{
    const bool is_strict =
        p->math == CNN_STRICT && p->tensors[s->writes[0]].type == CNN_F32;
    const double computing = s->flops / (is_strict ? strict_flops_per_s : flops_per_s);
    const double moving = s->bytes / bytes_per_s(cnn_op_kind(s->op));

    return computing > moving ? computing : moving;
}

double swap_ahead_copy_s(double bytes)
{
    return bytes / copied_per_s;
}

/* @return the bytes that a gap moves beside those that are taken, or could be moved while
 * its tensor is computed again */
static double cost_of(const swap_gaps_t *g, const swap_gap_t *gap)
{
    const bool has_copy = gap->version < 0 || g->n_taken[gap->version] > gap->is_taken;

    return g->repeats && gap->repeat_s > 0 ? gap->repeat_s * copied_per_s
                                           : (double)gap->bytes * (has_copy ? 1 : 2);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* @return the sum over all places of what a gap saves of what is too much */
static double saved_by(const swap_gaps_t *g, const swap_gap_t *gap, size_t limit)
{
    double sum = 0;

    for (int at = swap_gap_first(g, gap); at >= 0; at = swap_gap_next(g, gap, at))
        if (g->live[at] > limit)
            sum += (double)least(g->live[at] - limit, gap->bytes);
    return sum;
}

/* @return what is worth taking, more than 0: what a gap saves, to a power, per byte
 * moved. Higher powers prefer large savings, which fewer gaps then need to be taken for.
 */
static double value_of(const swap_gaps_t *g, const swap_gap_t *gap, size_t limit,
                       double power)
{
    return pow(saved_by(g, gap, limit), power) / cost_of(g, gap);
}

static int find_most(const swap_gaps_t *g)
{
    int best = -1;

    for (int i = 0; i < g->n_gaps; i++)
        if (!g->gaps[i].is_taken && g->gaps[i].value > 0 &&
            (best < 0 || g->gaps[i].value > g->gaps[best].value))
            best = i;
    return best;
}

/* Gaps of the same value cost half of what they did, once the first is taken. */
static void take(swap_gaps_t *g, int best)
{
    const int version = g->gaps[best].version;

    swap_gaps_take(g, best, true);
    if (version >= 0 && g->n_taken[version] == 1)
        for (int i = 0; i < g->n_gaps; i++)
            if (g->gaps[i].version == version)
                g->gaps[i].value *= 2;
}

/* What a gap is worth only falls when others are taken, so that most of the values that
 * were computed before are upper bounds that need no second look. */
static void cover(swap_gaps_t *g, size_t limit, double power)
{
    int best;

    for (int i = 0; i < g->n_gaps; i++)
        g->gaps[i].value = value_of(g, &g->gaps[i], limit, power);
    while ((best = find_most(g)) >= 0) {
        const double bound = g->gaps[best].value;

        g->gaps[best].value = value_of(g, &g->gaps[best], limit, power);
        if (g->gaps[best].value == bound)
            take(g, best);
    }
}

static bool is_needless(const swap_gaps_t *g, const swap_gap_t *gap, size_t limit)
{
    for (int at = swap_gap_first(g, gap); at >= 0; at = swap_gap_next(g, gap, at))
        if (g->live[at] + gap->bytes > limit)
            return false;
    return true;
}

/* @return the most expensive gap that nothing needs, or -1; one that is needed stays so
 * when others are given back, and has no value */
static int find_needless(swap_gaps_t *g, size_t limit)
{
    double most = 0;
    int found = -1;

    for (int i = 0; i < g->n_gaps; i++) {
        swap_gap_t *gap = &g->gaps[i];

        if (!gap->is_taken || gap->is_forced || gap->value == 0 ||
            cost_of(g, gap) <= most)
            continue;
        if (!is_needless(g, gap, limit)) {
            gap->value = 0;
            continue;
        }
        most = cost_of(g, gap);
        found = i;
    }
    return found;
}

static double seconds_of(const swap_gaps_t *g, int place)
{
    double seconds = 0;

    for (int k = g->order[place]; k < swap_gaps_end(g, place); k++)
        seconds += swap_ahead_step_s(g->program, &g->program->steps[k]);
    return seconds;
}

/* Fetch a tensor earlier, but not across the program's beginning. */
static void fetch_early(swap_gaps_t *g, swap_gap_t *gap, size_t limit)
{
    const int first = gap->from < gap->to ? gap->last_pass + 2 : 0;
    double seconds = 0;

    while (gap->fetch > first && seconds < swap_ahead_copy_s((double)gap->bytes) &&
           g->live[gap->fetch - 1] + gap->bytes <= limit) {
        gap->fetch--;
        g->live[gap->fetch] += gap->bytes;
        seconds += seconds_of(g, gap->fetch);
    }
}

static void fetch_late(swap_gaps_t *g, swap_gap_t *gap)
{
    for (; gap->fetch != gap->to; gap->fetch++)
        g->live[gap->fetch] -= gap->bytes;
}

void swap_ahead_take(swap_gaps_t *g, size_t arena_bytes, double power)
{
    int gap;

    cover(g, arena_bytes, power);
    while ((gap = find_needless(g, arena_bytes)) >= 0)
        swap_gaps_take(g, gap, false);
}

void swap_ahead_fetch(swap_gaps_t *g, size_t bytes)
{
    for (int i = 0; i < g->n_gaps; i++)
        fetch_late(g, &g->gaps[i]);
    for (int place = 0; place < g->n_places; place++)
        for (int i = 0; i < g->n_gaps; i++)
            if (g->gaps[i].is_taken && g->gaps[i].to == place)
                fetch_early(g, &g->gaps[i], bytes);
}
