/*
 * random_set.c - draws founders of families and mutates them into members.
 */
#include "tests/support/random_set.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY_SIZE = 8, BASES_A = 1, BASES_C = 2, BASES_G = 4, BASES_T = 8 };

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";
enum { N_AMINO_ACIDS = sizeof(amino_acids) - 1 };

typedef struct {
    uint8_t bases[N_AMINO_ACIDS]; /* drawn from these */
    int n_bases;
    int run_max;           /* maximum length of a run of one base */
    int ambiguous_percent; /* bases replaced by any code */
} family_t;

/* A sequence under construction; bases beyond max are dropped. */
typedef struct {
    uint8_t *letters;
    int64_t len, max;
} draft_t;

static void push(draft_t *draft, uint8_t letter)
{
    if (draft->len < draft->max)
        draft->letters[draft->len++] = letter;
}

static int64_t between(rng_t *rng, int64_t min, int64_t max)
{
    return min + (int64_t)rng_below(rng, (uint64_t)(max - min + 1));
}

static uint8_t any_base(rng_t *rng, const family_t *family)
{
    return family->bases[rng_below(rng, (uint64_t)family->n_bases)];
}

/* Make a family of DNA one of proteins: of all amino acids, of two or of one. */
static void make_protein(rng_t *rng, family_t *family)
{
    family->n_bases = family->n_bases == 4 ? N_AMINO_ACIDS : family->n_bases;
    for (int i = 0; i < family->n_bases; i++) {
        uint64_t k = family->n_bases == N_AMINO_ACIDS ? (uint64_t)i
                                                      : rng_below(rng, N_AMINO_ACIDS);

        family->bases[i] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)amino_acids[k]);
    }
}

static family_t draw_family(rng_t *rng, const random_set_opts_t *opts,
                            alphabet_t alphabet)
{
    static const family_t families[] = {{{BASES_A, BASES_C, BASES_G, BASES_T}, 4, 1, 0},
                                        {{BASES_A, BASES_C, BASES_G, BASES_T}, 4, 1, 0},
                                        {{BASES_A, BASES_C, BASES_G, BASES_T}, 4, 1, 0},
                                        {{BASES_A, BASES_C, BASES_G, BASES_T}, 4, 60, 0},
                                        {{BASES_A, BASES_C}, 2, 1, 0},
                                        {{BASES_G, BASES_T}, 2, 30, 0},
                                        {{BASES_A}, 1, 1, 0},
                                        {{BASES_T}, 1, 1, 0}};
    static const int rates[] = {1, 10, 60};
    family_t family = families[rng_below(rng, sizeof(families) / sizeof(families[0]))];

    if (rng_chance(rng, (uint64_t)opts->ambiguous_percent, 100))
        family.ambiguous_percent = rates[rng_below(rng, 3)];
    if (alphabet == ALPHABET_PROTEIN)
        make_protein(rng, &family);
    return family;
}

static void draw_founder(rng_t *rng, const family_t *family, int64_t len, draft_t *out)
{
    out->len = 0;
    while (out->len < len) {
        uint8_t base = any_base(rng, family);
        int64_t run = between(rng, 1, family->run_max);

        for (int64_t i = 0; i < run && out->len < len; i++)
            push(out, base);
    }
}

/* Copy a founder, or a piece of it, with substitutions, deletions and insertions. */
static void draw_member(rng_t *rng, alphabet_t alphabet, const family_t *family,
                        const draft_t *founder, int64_t len_min, draft_t *out)
{
    bool is_piece = rng_chance(rng, 1, 4);
    int64_t from = is_piece ? between(rng, 0, founder->len - 1) : 0;
    int64_t to = is_piece ? between(rng, from + 1, founder->len) : founder->len;
    uint64_t changed = rng_chance(rng, 1, 5) ? 0 : rng_below(rng, 101);

    if (rng_chance(rng, 1, 2))
        changed /= 8; /* most pairs of 16S genes are similar */
    out->len = 0;
    for (int64_t i = from; i < to; i++) {
        uint64_t event = rng_chance(rng, changed, 100) ? rng_below(rng, 4) : 4;

        if (event == 3)
            for (int64_t k = between(rng, 1, 6); k > 0; k--)
                push(out, any_base(rng, family));
        if (event != 2)
            push(out, event < 2 ? any_base(rng, family) : founder->letters[i]);
    }
    while (out->len < len_min)
        push(out, any_base(rng, family));
    for (int64_t i = 0; i < out->len; i++)
        if (rng_chance(rng, (uint64_t)family->ambiguous_percent, 100))
            out->letters[i] = (uint8_t)between(rng, 1, alphabet_size(alphabet) - 1);
}

static status_t create(rng_t *rng, const random_set_opts_t *opts, alphabet_t alphabet,
                       seqset_t **out)
{
    size_t max_len = (size_t)opts->len_max;
    draft_t founder = {malloc(max_len), 0, opts->len_max};
    draft_t member = {malloc(max_len), 0, opts->len_max};
    seqset_builder_t builder = {.alphabet = alphabet};
    family_t family = {0};
    status_t st = ST_ENOMEM;

    if (founder.letters == NULL || member.letters == NULL) {
        log_nomem("a random set");
        goto done;
    }
    for (int64_t i = 0; i < opts->n; i++) {
        char name[24];
        int name_len = snprintf(name, sizeof(name), "s%lld", (long long)i);

        if (i % FAMILY_SIZE == 0) {
            family = draw_family(rng, opts, alphabet);
            draw_founder(rng, &family, between(rng, opts->len_min, opts->len_max),
                         &founder);
        }
        draw_member(rng, alphabet, &family, &founder, opts->len_min, &member);
        st = seqset_builder_add(&builder, name, (size_t)name_len, member.letters,
                                (size_t)member.len);
        if (st != ST_OK)
            goto done;
    }
    st = seqset_builder_finish(&builder, out);
done:
    seqset_builder_free(&builder);
    free(member.letters);
    free(founder.letters);
    return st;
}

status_t random_set_create(rng_t *rng, const random_set_opts_t *opts, seqset_t **out)
{
    return create(rng, opts, ALPHABET_DNA, out);
}

status_t random_set_create_proteins(rng_t *rng, const random_set_opts_t *opts,
                                    seqset_t **out)
{
    return create(rng, opts, ALPHABET_PROTEIN, out);
}

status_t random_set_spell(const char *text, seqset_t **out)
{
    seqset_builder_t builder = {0};
    buf_t letters = {0};
    status_t st = ST_OK;

    for (const char *at = text; st == ST_OK && *at != '\0';) {
        uint8_t code = alphabet_code(ALPHABET_DNA, (unsigned char)*at++);
        char *end = (char *)at;
        long long times = strtoll(at, &end, 10);

        if (end == at || *at == ' ')
            times = 1;
        else
            at = end;
        for (; st == ST_OK && times > 0; times--)
            st = buf_append(&letters, &code, 1);
        if (st == ST_OK && (*at == ' ' || *at == '\0')) {
            st = seqset_builder_add(&builder, "spelled", 7, letters.data, letters.len);
            letters.len = 0;
            at += *at == ' ';
        }
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    seqset_builder_free(&builder);
    buf_free(&letters);
    return st;
}

void random_set_pairs(rng_t *rng, const seqset_t *set, int64_t n, pair_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t query = between(rng, 0, set->n - 1),
                first = query / FAMILY_SIZE * FAMILY_SIZE;
        int64_t last =
            first + FAMILY_SIZE < set->n ? first + FAMILY_SIZE - 1 : set->n - 1;
        int64_t target = rng_chance(rng, 1, 2) ? between(rng, first, last)
                                               : between(rng, 0, set->n - 1);

        out[i] = (pair_t){(int32_t)query, (int32_t)target};
    }
}

static void random_matrix(rng_t *rng, alphabet_t alphabet, score_matrix_t *out)
{
    memset(out, 0, sizeof(*out));
    out->alphabet = alphabet;
    for (int a = 1; a < alphabet_size(alphabet); a++) {
        out->has[a] = true;
        out->score[a][a] = (int32_t)between(rng, 6, 20);
        for (int b = 1; b < a; b++)
            out->score[a][b] = out->score[b][a] = (int32_t)between(rng, -20, 5);
    }
}

void random_set_matrix(rng_t *rng, score_matrix_t *out)
{
    random_matrix(rng, ALPHABET_DNA, out);
}

align_spec_t random_set_spec(int k)
{
    static const int32_t scores[][3] = {
        {4, -5, -7}, {1, -1, -1}, {5, -4, -10}, {2, -30, -3}, {0, -1, -1}};
    bool symmetric = k < RANDOM_SET_SPECS;
    int each = symmetric ? k / 2 : k - RANDOM_SET_SPECS;
    const int32_t *s = scores[each / 3 % 5];
    align_spec_t spec = {.emit = EMIT_IDENTITY,
                         .ends = !symmetric   ? ENDS_QUERY
                                 : k % 2 == 0 ? ENDS_FREE
                                              : ENDS_COUNT,
                         .min_overlap = {1, 2}};

    align_scoring_set(&spec.scoring, (align_ambiguity_t)(each % 3), s[0], s[1], s[2]);
    return spec;
}

/* Draw costs of a gap: often as much for each base, or much more for the first. */
static align_gap_t any_gap(rng_t *rng, int64_t extend_min)
{
    static const int more[] = {0, 1, 1, 5, 18, 150};
    int32_t extend = (int32_t)-between(rng, extend_min, 9);

    return (align_gap_t){extend - more[rng_below(rng, 6)], extend};
}

align_spec_t random_set_affine_spec(rng_t *rng)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY,
                         .ends = (align_ends_t)rng_below(rng, 4),
                         .end_gap = any_gap(rng, 0),
                         .min_overlap = {0, 1}};
    align_ambiguity_t ambiguity = (align_ambiguity_t)rng_below(rng, 5);
    int32_t match = (int32_t)between(rng, 0, 10);
    int32_t mismatch = (int32_t)-between(rng, 0, rng_chance(rng, 1, 4) ? 60 : 12);
    score_matrix_t matrix;

    if (rng_chance(rng, 1, 6)) {
        random_set_matrix(rng, &matrix);
        align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    } else {
        align_scoring_set(&spec.scoring, ambiguity, match, mismatch, -1);
    }
    align_scoring_set_gap(&spec.scoring, any_gap(rng, 1));
    return spec;
}

align_spec_t random_set_protein_spec(rng_t *rng)
{
    align_spec_t spec = random_set_affine_spec(rng);
    align_gap_t gap = align_scoring_gap(&spec.scoring);
    score_matrix_t matrix;

    if (rng_chance(rng, 1, 2))
        named_matrix_find("BLOSUM62", &matrix);
    else
        random_matrix(rng, ALPHABET_PROTEIN, &matrix);
    align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    align_scoring_set_gap(&spec.scoring, gap);
    return spec;
}

static const char *ambiguity_name(const align_scoring_t *s)
{
    if (s->set_of[CODE_N] != 0)
        return "match";
    return s->set_of[CODE_N - 1] != 0 ? "n-mismatch" : "mismatch";
}

void random_set_describe(const align_spec_t *spec, char *out)
{
    const align_scoring_t *s = &spec->scoring;
    const char *ends = align_ends_name[spec->ends];
    char gaps[64];

    if (spec->ends == ENDS_PRICED)
        snprintf(gaps, sizeof(gaps), "%d/%d, ends %d/%d", s->gap_open, s->gap,
                 spec->end_gap.open, spec->end_gap.extend);
    else if (s->gaps == GAPS_AFFINE)
        snprintf(gaps, sizeof(gaps), "%d/%d, ends %s", s->gap_open, s->gap, ends);
    else
        snprintf(gaps, sizeof(gaps), "%d, ends %s", s->gap, ends);
    if (s->two_valued)
        snprintf(out, RANDOM_SET_TEXT_BYTES, "%d/%d/%s, ambiguity %s", s->match,
                 s->mismatch, gaps, ambiguity_name(s));
    else
        snprintf(out, RANDOM_SET_TEXT_BYTES, "a matrix of %s, gap %s",
                 alphabet_name[s->alphabet], gaps);
}

int random_set_count(int n)
{
    const char *text = getenv("RIBOGRID_TEST_SCALE");
    const int count =
        (int)(n / RANDOM_SET_DIVISOR * (text != NULL ? strtod(text, NULL) : 1));

    return count > 1 ? count : 1;
}
