/*
 * alphabet.h - nucleotide letters and their codes.
 *
 * A code is the set of bases that a letter stands for, one bit a base (A 1, C 2, G 4, T
 * 8; U is T), as in Cornish-Bowden 1985 (IUPAC-IUB).  Code 0 is no letter.
 */
#ifndef RIBOGRID_IO_SEQ_ALPHABET_H
#define RIBOGRID_IO_SEQ_ALPHABET_H

#include <stdbool.h>
#include <stdint.h>

enum { ALPHABET_SIZE = 16, CODE_NONE = 0, CODE_N = 15 };

/* @return the code of a letter, either case, or CODE_NONE if it is not a nucleotide's */
uint8_t alphabet_code(unsigned char letter);

/* @return the upper-case letter of a code 1..15, T for U; '-' for CODE_NONE */
char alphabet_letter(uint8_t code);

/* @return the code of the complements of a code's bases: its bits in reverse */
static inline uint8_t alphabet_complement(uint8_t code)
{
    return (uint8_t)((code & 1) << 3 | (code & 2) << 1 | (code & 4) >> 1 |
                     (code & 8) >> 3);
}

/* @return whether the code stands for exactly one base */
bool alphabet_is_base(uint8_t code);

#endif
