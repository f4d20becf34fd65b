/*
 * alphabet.h - letters of sequences as codes: nucleotides and amino acids.
 *
 * DNA: a code is the set of bases that a letter stands for, one bit per base (A 1, C 2, G
 * 4, T 8; U is T), after Cornish-Bowden 1985 (IUPAC-IUB).  A code of one bit is a base,
 * any other an ambiguity code.
 *
 * Protein: A to Z are 1 to 26, and '*' is 27.  The 20 amino acids, U and O are residues;
 * B, J, Z and X are ambiguity codes, and '*' is the end of a translation.
 *
 * Code 0 is not a letter of either.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AUTO is a choice of users; no sequence set has it. */
typedef enum { ALPHABET_DNA, ALPHABET_PROTEIN, ALPHABET_AUTO } alphabet_t;

extern const char *const alphabet_name[2]; /* "dna", "protein" */

/* What messages call one letter, several, and the sequences. */
extern const char *const alphabet_a_letter[2];  /* "a nucleotide", "an amino acid" */
extern const char *const alphabet_letters[2];   /* "bases", "residues" */
extern const char *const alphabet_sequences[2]; /* "nucleotide", "protein" */

/* Codes are less than the size of their alphabet. */
enum { DNA_SIZE = 16, PROTEIN_SIZE = 28, ALPHABET_SIZE = 32 };

enum { CODE_NONE = 0, CODE_N = 15, CODE_X = 'X' - 'A' + 1 };

static inline int alphabet_size(alphabet_t alphabet)
{
    return alphabet == ALPHABET_PROTEIN ? PROTEIN_SIZE : DNA_SIZE;
}

/* @return the code of a letter in either case; CODE_NONE if it is not a letter of the
 *         alphabet */
uint8_t alphabet_code(alphabet_t alphabet, unsigned char letter);

/* @return the upper-case letter of a code, never U in DNA; '-' for CODE_NONE */
char alphabet_letter(alphabet_t alphabet, uint8_t code);

/* @return the code of the complementary bases: the bits in reverse order; DNA only */
static inline uint8_t alphabet_complement(uint8_t code)
{
    return (uint8_t)((code & 1) << 3 | (code & 2) << 1 | (code & 4) >> 1 |
                     (code & 8) >> 3);
}

/* @return whether a code stands for exactly one base, or one residue */
bool alphabet_is_base(alphabet_t alphabet, uint8_t code);

/*
 * Guess the alphabet of FASTA from its beginning: protein, if its letters look like that.
 *
 * @param text  [len] as far as it has been read
 */
alphabet_t alphabet_guess(const unsigned char *text, size_t len);

/* @return whether a letter is of amino acids only.  X is not counted: it also masks
 *         vectors in nucleotide sequences */
bool alphabet_is_protein_only(unsigned char letter);

/* @return whether letters look like protein, if n_protein of them are of amino acids
 *         only: at least a tenth */
static inline bool alphabet_looks_like_protein(size_t n_protein, size_t n_letters)
{
    return n_protein > 0 && 10 * n_protein >= n_letters;
}
