/*
 * chimera_score.h - UCHIME's score of a read and two parents, and the call that follows
 * (Edgar, Haas, Clemente, Quince and Knight 2011, Bioinformatics 27:2194; uchime2 and
 * uchime3: Edgar 2016, bioRxiv 074252).
 *
 * The read and its parents A and B are aligned base by base of the read.  A base is left
 * out if one of the three has an ambiguity code there, if a parent has a gap there or at
 * the base before or after, or if a parent has bases between it and one of these.  Every
 * other base at which the three are not equal votes: for A or B if the read equals that
 * parent alone, else it abstains.
 *
 * A breakpoint behind a vote divides the votes.  On its left, where the model is A, votes
 * for A are yes (y), for B no (n), others abstain (a); on its right it is the reverse:
 *
 *     h = y / (xn (n + dn) + a) on the left, times the same on the right
 *
 * A breakpoint counts only if y > n on both sides, and so does the same breakpoint with A
 * and B exchanged.  The score is the highest h; of equal ones the first, from the left.
 */
#pragma once

#include "kernels/chimera/parent_contest.h"

/* What makes a read a chimera. */
typedef enum {
    CHIMERA_UCHIME,  /* its score, votes on both sides, and divergence reach a minimum */
    CHIMERA_UCHIME2, /* it equals the model, and neither parent */
    CHIMERA_UCHIME3, /* the same; parents have to be more abundant by default */
    CHIMERA_N_METHODS
} chimera_method_t;

/* "uchime", "uchime2", "uchime3" */
extern const char *const chimera_method_name[CHIMERA_N_METHODS];

typedef struct {
    chimera_method_t method;
    double xn;         /* weight of a no */
    double dn;         /* pseudo-count of no votes */
    double min_h;      /* score of a suspicious read */
    double min_div;    /* the model is closer than the closest parent, in percent */
    int64_t min_diffs; /* votes on either side */
} chimera_rule_t;

/* A borderline read has the score, but not the votes or the divergence. */
typedef enum {
    CHIMERA_NO,
    CHIMERA_BORDERLINE,
    CHIMERA_YES,
    CHIMERA_N_CALLS
} chimera_call_t;

/* Of bases that are not left out. */
enum { CHIMERA_Q_MODEL, CHIMERA_Q_A, CHIMERA_Q_B, CHIMERA_A_B, CHIMERA_N_MATCHES };
enum {
    CHIMERA_LEFT_YES,
    CHIMERA_LEFT_NO,
    CHIMERA_LEFT_ABSTAIN,
    CHIMERA_RIGHT_YES,
    CHIMERA_RIGHT_NO,
    CHIMERA_RIGHT_ABSTAIN,
    CHIMERA_N_VOTES
};

typedef struct {
    double h;        /* 0: no breakpoint counts, and there is nothing else */
    bool is_swapped; /* A, the model's left, is the second parent that was given */
    chimera_call_t call;
    int32_t columns;                    /* bases that are not left out */
    int32_t matches[CHIMERA_N_MATCHES]; /* of these */
    int32_t votes[CHIMERA_N_VOTES];
} chimera_score_t;

/* Identities in percent: of the read with the model, with the closer parent; and what the
 * model has more. */
typedef struct {
    double model, a, b, parents, top, divergence;
} chimera_identities_t;

/* @param s  with columns */
chimera_identities_t chimera_identities(int32_t columns,
                                        const int32_t matches[CHIMERA_N_MATCHES]);

/*
 * Score a read.
 *
 * @param read     [len] codes of DNA
 * @param parents  A and B, or B and A
 * @param scratch  grows on demand
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t chimera_score(const chimera_rule_t *rule, const uint8_t *read, int64_t len,
                       const contest_candidate_t parents[2], buf_t *scratch,
                       chimera_score_t *out) MUST_CHECK;
