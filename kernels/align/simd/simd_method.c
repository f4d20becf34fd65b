/*
 * simd_method.c - chooses layouts and bands.
 */
#include "kernels/align/simd/simd_group.h"

status_t simd_method_create(const align_context_t *context, const align_spec_t *spec,
                            bool bits, simd_method_t *out)
{
    const int64_t len = seqset_max_len(context->set);

    *out = (simd_method_t){.spec = *spec, .bits = bits};
    out->profiles = !spec->scoring.two_valued && !spec->scoring.neutral &&
                    cell_layout_choose_profile(&out->spec, len, len, &out->first);
    out->scores_first = out->profiles && align_has_identity(spec);
    if ((spec->scoring.two_valued || spec->scoring.neutral) &&
        cell_layout_choose_first(&out->spec, len, &out->first)) {
        out->guards = context->run.band && spec->ends != ENDS_QUERY;
        out->scores_first = out->guards || out->first.affine;
    } else if (context->run.band && band_width_applies(spec)) {
        return band_width_create(context->pool, context->set, spec, &out->band);
    }
    return ST_OK;
}

void simd_method_free(simd_method_t *method)
{
    band_width_destroy(method->band);
}

int32_t simd_method_band(const simd_method_t *method, const seqset_t *set, pair_t pair)
{
    int64_t m = seqset_len(set, pair.query), n = seqset_len(set, pair.target);
    int32_t band = method->guards ? band_width_guarded((int32_t)(m < n ? m : n))
                   : method->band != NULL
                       ? band_width_of(method->band, pair.query, pair.target)
                       : BAND_WIDTH_NONE;

    return band == BAND_WIDTH_NONE ? SIMD_BAND_NONE : band;
}

bool simd_method_layout(const simd_method_t *method, const simd_pair_t *pairs,
                        int64_t n_pairs, cell_layout_t *out)
{
    int64_t m = 1, n = 1;
    bool scored = true;

    if (method->bits)
        return cell_layout_choose_bits(&method->spec, out);
    for (int64_t i = 0; i < n_pairs; i++) {
        m = pairs[i].m > m ? pairs[i].m : m;
        n = pairs[i].n > n ? pairs[i].n : n;
        scored = scored && pairs[i].scored;
    }
    if (pairs[0].shared > 0 && method->spec.emit == EMIT_SCORE)
        return cell_layout_choose_profile(&method->spec, m, n, out);
    return (scored && !pairs[0].exact &&
            cell_layout_choose_known(&method->spec, m, n, out)) ||
           cell_layout_choose(&method->spec, m, n, pairs[0].exact, out);
}

bool simd_method_plain_spec(const align_spec_t *spec, align_spec_t *out)
{
    const align_scoring_t *s = &spec->scoring;
    int32_t match, mismatch;

    if (s->two_valued || !align_scoring_is_plain(s, &match, &mismatch))
        return false;
    *out = *spec;
    align_scoring_set(&out->scoring, AMBIGUITY_MISMATCH, match, mismatch, s->gap);
    align_scoring_set_gap(&out->scoring, align_scoring_gap(s));
    return true;
}
