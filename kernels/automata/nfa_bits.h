/*
 * nfa_bits.h - patterns as bits: one bit per position, so that a byte moves all positions
 * of a word at once.
 *
 * Most positions are followed by themselves or by the next one, which is a mask and a
 * shift; positions that are followed by the same others share a mask of these (jumps).
 */
#pragma once

#include "io/automata/nfa.h"

/* A pattern; masks are n_words long and lie in the words of all patterns. */
typedef struct {
    int32_t n_words, n_jumps;
    int64_t masks;    /* word of the first: NFA_BITS_STAY, ... */
    int64_t jumps;    /* [n_jumps][2] members, and what follows them */
    int64_t by_class; /* [n_classes] positions that consume the bytes of a class */
    int64_t class_of; /* byte of the classes of all patterns: [256] */
    int64_t state;    /* word of its positions in a state of all patterns */
} nfa_bits_pattern_t;

typedef enum {
    NFA_BITS_STAY,    /* followed by themselves */
    NFA_BITS_SHIFT,   /* followed by the next one */
    NFA_BITS_STARTS,  /* NFA_STARTS */
    NFA_BITS_BEGINS,  /* NFA_STARTS or NFA_BEGINS */
    NFA_BITS_ACCEPTS, /* NFA_ACCEPTS */
    NFA_BITS_ENDS,    /* NFA_ACCEPTS or NFA_FINISHES */
    NFA_BITS_N_MASKS
} nfa_bits_mask_t;

typedef struct {
    const nfa_t *nfa;            /* borrowed */
    nfa_bits_pattern_t *pattern; /* [n_patterns] */
    uint64_t *words;             /* [n_words] of all patterns */
    uint8_t *class_of;           /* [n_patterns][256] */
    int64_t n_words;
    int64_t n_state_words; /* of a state of all patterns */
} nfa_bits_t;

/* Map bytes to classes, so that each set is a union of them; numbered by their first
 * bytes. @param sets  [n] @return the number of classes */
int32_t nfa_bits_classes(const byte_set_t *sets, int64_t n, uint8_t class_of[256]);

/* @param out  freed by nfa_bits_free @return ST_OK or ST_ENOMEM (logged) */
status_t nfa_bits_create(const nfa_t *nfa, nfa_bits_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void nfa_bits_free(nfa_bits_t *b);

static inline const uint64_t *nfa_bits_mask(const nfa_bits_t *b,
                                            const nfa_bits_pattern_t *p,
                                            nfa_bits_mask_t mask)
{
    return b->words + p->masks + (int64_t)mask * p->n_words;
}

/* @return the positions of a pattern that consume a byte */
static inline const uint64_t *nfa_bits_of_byte(const nfa_bits_t *b,
                                               const nfa_bits_pattern_t *p, uint8_t byte)
{
    return b->words + p->by_class + (int64_t)b->class_of[p->class_of + byte] * p->n_words;
}

static inline void nfa_bits_set(uint64_t *words, int64_t bit)
{
    words[bit / 64] |= (uint64_t)1 << bit % 64;
}

static inline bool nfa_bits_has(const uint64_t *words, int64_t bit)
{
    return (words[bit / 64] >> bit % 64 & 1) != 0;
}

/* @return whether any bit is in both */
static inline bool nfa_bits_meet(const uint64_t *a, const uint64_t *b, int32_t n_words)
{
    uint64_t any = 0;

    for (int32_t w = 0; w < n_words; w++)
        any |= a[w] & b[w];
    return any != 0;
}

/*
 * Set the positions that may follow those of a state, whatever byte comes.
 *
 * @param state  [n_words]
 * @param out    [n_words] not the state
 */
static inline void nfa_bits_follow(const nfa_bits_t *b, const nfa_bits_pattern_t *p,
                                   const uint64_t *state, uint64_t *out)
{
    const uint64_t *stay = nfa_bits_mask(b, p, NFA_BITS_STAY);
    const uint64_t *shift = nfa_bits_mask(b, p, NFA_BITS_SHIFT);
    const uint64_t *jump = b->words + p->jumps;
    uint64_t carry = 0;

    for (int32_t w = 0; w < p->n_words; w++) {
        const uint64_t moved = state[w] & shift[w];

        out[w] = (state[w] & stay[w]) | moved << 1 | carry;
        carry = moved >> 63;
    }
    for (int32_t j = 0; j < p->n_jumps; j++, jump += 2 * p->n_words)
        if (nfa_bits_meet(state, jump, p->n_words))
            for (int32_t w = 0; w < p->n_words; w++)
                out[w] |= jump[p->n_words + w];
}
