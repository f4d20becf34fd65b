/*
 * sscan_layout.cu - which scorings sscan takes.
 */
#include "kernels/align/sliced/sscan_layout.cuh"

bool sscan_score(const align_spec_t *spec, sscan_score_t *out)
{
    const align_scoring_t *s = &spec->scoring;
    const int64_t cost = -static_cast<int64_t>(s->gap), unit = s->match + 2 * cost;

    if (!(s->two_valued || s->neutral) || unit <= 0 || unit > SSCAN_UNIT_MAX ||
        s->mismatch + 2 * cost != 0 ||
        s->gap - static_cast<int64_t>(s->gap_open) != SSCAN_OPEN * unit)
        return false;
    *out = sscan_score_t{static_cast<int>(unit), static_cast<int>(cost)};
    return true;
}
