/*
 * rscan_plan.cuh - puts the pairs of a round into the order in which warps take them:
 * pairs of the same kind together, and among them pairs of similar size, so that the
 * threads of a warp have about the same work.
 *
 * What a round does with a pair is decided here, for tests on the CPU too.
 */
#pragma once

#include "kernels/align/cuda/cuda_pair_order.cuh"
#include "kernels/align/cuda/cuda_word.cuh"
#include "kernels/align/rscan/rscan_layout.cuh"

extern "C" {
#include "kernels/align/common/score_band.h"
}

#include <climits>

/* What kinds and bands of pairs follow from, besides the launch. */
struct rscan_plan_args_t {
    edit_costs_t costs;
    int match_score;           /* of a match */
    int max_len[RSCAN_KINDS];  /* bases that a kind's layout holds */
    int long_len[RSCAN_KINDS]; /* and those of the shorter sequence of a long pair */
    score_band_t score_band;
    /* pairs whose score, which is known about, is at most ties_score - ties_cost (m + n)
     * are of kind KEY_TIES */
    long long ties_score, ties_cost;
    long long max_cells; /* pairs without 32-bit keys and with more cells in their bands
                          * are of kind KEY_LONG; 0: none */
};

/* What a round does with a pair. */
struct rscan_planned_t {
    int kind;    /* RSCAN_KINDS: the round does not take it */
    int w;       /* of its band; < 0: none */
    bool counts; /* as one with a guessed or first band */
};

/*
 * Enqueue: order the pairs of a round, the largest first in each kind.
 *
 * @param launch    its variant is checked; n_of_kind is zeroed before, and then has the
 *                  pairs of each kind; band_w: out where bands are chosen, in where they
 *                  are known
 * @param n         pairs of the batch
 * @param n_banded  pairs with a guessed or first band are added to it
 * @param order     out: pairs by kind
 */
status_t rscan_plan(const pair_order_t &plan, const rscan_launch_t &launch,
                    const rscan_plan_args_t &args, int64_t n, rscan_list_t list,
                    unsigned long long *n_banded, cudaStream_t stream,
                    const unsigned **order);

namespace
{

/* @return whether band_w is known */
CUDA_BOTH inline bool rscan_plan_reads(rscan_bands_t bands)
{
    return bands == RSCAN_BANDS_KNOWN || bands == RSCAN_BANDS_CORRIDORS;
}

/* @return whether the plan chooses band_w */
CUDA_BOTH inline bool rscan_plan_writes(rscan_bands_t bands)
{
    return bands != RSCAN_BANDS_NONE && bands != RSCAN_BANDS_GUARDED &&
           bands != RSCAN_BANDS_WINDOWS && !rscan_plan_reads(bands);
}

/* @return whether all flags of a launch's variant can be true together, and it has what
 *         they need */
inline bool rscan_variant_is_valid(const rscan_launch_t &l)
{
    const rscan_variant_t &v = l.variant;
    const bool guarded = v.bands == RSCAN_BANDS_GUARDED;
    const bool first =
        v.bands == RSCAN_BANDS_FIRST || v.bands == RSCAN_BANDS_FIRST_OR_SCORES;
    const bool by_edits = v.bands == RSCAN_BANDS_GUESSED || v.bands == RSCAN_BANDS_PROVED;

    return (!guarded || (v.bound_w > 0 && l.banded != nullptr)) &&
           (!by_edits || l.edits != nullptr) &&
           (!(rscan_plan_writes(v.bands) || rscan_plan_reads(v.bands)) ||
            l.band_w != nullptr) &&
           (v.bands == RSCAN_BANDS_WINDOWS) == rscan_has_windows(v.round) &&
           (!rscan_has_windows(v.round) || v.identity) &&
           (v.bands != RSCAN_BANDS_CORRIDORS || l.corridors != nullptr) &&
           (!v.only_banded || guarded || first || v.bands == RSCAN_BANDS_CORRIDORS) &&
           (!v.exact || v.identity) && (!v.by_rows || v.bands == RSCAN_BANDS_NONE);
}

/* @return whether a kind's layout holds a pair.  Cells of a pair need no more bits than
 *         those of two sequences of (m + n) / 2 bases (rscan_layout.cu). */
CUDA_BOTH inline bool rscan_plan_holds(const rscan_plan_args_t &s, int kind, int m, int n)
{
    return m + n <= 2 * s.max_len[kind] || min(m, n) <= s.long_len[kind];
}

/* @return whether a pair of m and n bases suits KEY_TIES, if its rows have no codes */
CUDA_BOTH inline bool rscan_plan_is_unlike(const rscan_launch_t &l,
                                           const rscan_plan_args_t &s, unsigned at, int m,
                                           int n)
{
    return max(m, n) <= s.max_len[RSCAN_KEY_TIES] &&
           l.score[at] + s.ties_cost * (m + n) <= s.ties_score;
}

/* @return the kind of pair `at` of the batch, of m and n bases */
CUDA_BOTH inline int rscan_plan_kind(const rscan_launch_t &l, const rscan_plan_args_t &s,
                                     unsigned at, int m, int n)
{
    const pair_t pair = l.pairs[at];
    const int longer = max(m, n);
    const bool q_codes = l.set.has_ambiguity[pair.query] != 0;
    const bool t_codes = l.set.has_ambiguity[pair.target] != 0;
    const bool ambiguous_rows = q_codes && (l.variant.query_rows || t_codes);

    if (l.variant.exact)
        return RSCAN_SETS64;
    if (!l.variant.identity)
        return !ambiguous_rows && longer <= s.max_len[RSCAN_SCORE2] ? RSCAN_SCORE2
                                                                    : RSCAN_SETS;
    if (!ambiguous_rows && rscan_plan_is_unlike(l, s, at, m, n))
        return RSCAN_KEY_TIES;
    for (int kind = RSCAN_KEY; kind <= RSCAN_KEY_LONG; kind++) {
        const bool is_long =
            m + n > 2 * s.max_len[kind]; /* the rows are the longer one */

        if (rscan_plan_holds(s, kind, m, n) &&
            !(is_long ? (m > n ? q_codes : t_codes) : ambiguous_rows))
            return kind;
    }
    return RSCAN_SETS;
}

/* @return w of the first band of a pair */
CUDA_BOTH inline int rscan_plan_first_width(const rscan_launch_t &l,
                                            const rscan_plan_args_t &s, unsigned at,
                                            int m, int n)
{
    return score_band_first(&s.score_band, m, n,
                            l.banded == nullptr ? 1 : band_choice_times_of(l.banded[at]));
}

/* @return whether a pair's band is to find a score */
CUDA_BOTH inline bool rscan_plan_is_first(const rscan_launch_t &l, unsigned at)
{
    return (l.variant.bands == RSCAN_BANDS_FIRST ||
            l.variant.bands == RSCAN_BANDS_FIRST_OR_SCORES) &&
           (l.banded == nullptr || l.banded[at] != 0);
}

CUDA_BOTH inline int rscan_plan_edit_width(int64_t w)
{
    return static_cast<int>(min(w, static_cast<int64_t>(SHRT_MAX)));
}

/* @return w of a pair's band, or a negative number for the whole matrix */
CUDA_BOTH inline int rscan_plan_width(const rscan_launch_t &l, const rscan_plan_args_t &s,
                                      unsigned at, int m, int n)
{
    switch (l.variant.bands) {
    case RSCAN_BANDS_GUESSED:
        return rscan_plan_edit_width(edit_band_guess(s.costs, l.edits[at], m, n));
    case RSCAN_BANDS_PROVED:
        return rscan_plan_edit_width(
            edit_band_proved(s.costs, l.edits[at], abs(m - n),
                             static_cast<int64_t>(s.match_score) * (m + n) -
                                 INT64_C(2) * l.score[at]));
    case RSCAN_BANDS_GUARDED:
        return l.banded[at] != 0 ? 0 : BAND_WIDTH_NONE; /* all have one width */
    case RSCAN_BANDS_WINDOWS:
        return l.bound_band[at].low + l.bound_band[at].high;
    case RSCAN_BANDS_FIRST:
        return rscan_plan_is_first(l, at) ? rscan_plan_first_width(l, s, at, m, n)
                                          : BAND_WIDTH_NONE;
    case RSCAN_BANDS_SCORES:
    case RSCAN_BANDS_FIRST_OR_SCORES:
        return rscan_plan_is_first(l, at)
                   ? rscan_plan_first_width(l, s, at, m, n)
                   : score_band_proved(&s.score_band, m, n, l.score[at]);
    case RSCAN_BANDS_KNOWN:
    case RSCAN_BANDS_CORRIDORS:
        return l.band_w[at];
    default:
        return BAND_WIDTH_NONE;
    }
}

/* @return the columns of a row that are swept: of the band of a pair, or of its matrix */
CUDA_BOTH inline int rscan_plan_columns(const rscan_variant_t &v, int m, int n, int w)
{
    const bool skewed =
        v.bands != RSCAN_BANDS_WINDOWS && v.bands != RSCAN_BANDS_CORRIDORS;
    const int skew = skewed ? abs(m - n) : 0;

    return w < 0 ? max(m, n) : min(2 * w + skew, max(m, n));
}

/* @return what a round does with pair `at` of the batch, of m and n bases */
CUDA_BOTH inline rscan_planned_t rscan_plan_pair(const rscan_launch_t &l,
                                                 const rscan_plan_args_t &s, unsigned at,
                                                 int m, int n)
{
    const rscan_variant_t &v = l.variant;
    const int w = rscan_plan_width(l, s, at, m, n);
    const bool counts =
        w >= 0 && (v.bands == RSCAN_BANDS_GUESSED || v.bands == RSCAN_BANDS_CORRIDORS ||
                   rscan_plan_is_first(l, at));
    const bool taken =
        !v.only_banded || counts || (v.bands == RSCAN_BANDS_GUARDED && w >= 0);
    int kind = taken ? rscan_plan_kind(l, s, at, m, n) : RSCAN_KINDS;

    if (s.max_cells > 0 && (kind == RSCAN_SETS || kind == RSCAN_SETS64) &&
        static_cast<long long>(min(m, n)) * rscan_plan_columns(v, m, n, w) > s.max_cells)
        kind = RSCAN_KEY_LONG;
    return rscan_planned_t{kind, w, counts};
}

} // namespace
