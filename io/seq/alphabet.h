/*
 * alphabet.h - nucleotide letters as 4-bit codes.
 *
 * A code is the set of bases that a letter stands for, one bit per base (A 1, C 2, G 4, T
 * 8; U is T), after Cornish-Bowden 1985 (IUPAC-IUB).  Code 0 is not a letter.  A code of
 * one bit is a base, any other an ambiguity code.
 */
#ifndef RIBOGRID_IO_SEQ_ALPHABET_H
#define RIBOGRID_IO_SEQ_ALPHABET_H

#include <stdbool.h>
#include <stdint.h>

enum { ALPHABET_SIZE = 16, CODE_NONE = 0, CODE_N = 15 };

/* @return the code of a letter in either case; CODE_NONE if it is not a nucleotide letter
 */
uint8_t alphabet_code(unsigned char letter);

/* @return the upper-case letter of a code, never U; '-' for CODE_NONE */
char alphabet_letter(uint8_t code);

/* @return the code of the complementary bases: the bits in reverse order */
static inline uint8_t alphabet_complement(uint8_t code)
{
    return (uint8_t)((code & 1) << 3 | (code & 2) << 1 | (code & 4) >> 1 |
                     (code & 8) >> 3);
}

/* @return whether a code stands for exactly one base */
bool alphabet_is_base(uint8_t code);

#endif
