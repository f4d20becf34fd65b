/*
 * alphabet.c - tables between letters and codes.
 */
#include "io/seq/alphabet.h"

#include <ctype.h>
#include <string.h>

const char *const alphabet_name[2] = {"dna", "protein"};
const char *const alphabet_a_letter[2] = {"a nucleotide", "an amino acid"};
const char *const alphabet_letters[2] = {"bases", "residues"};
const char *const alphabet_sequences[2] = {"nucleotide", "protein"};

static const char dna_letters[DNA_SIZE + 1] = "-ACMGRSVTWYHKDBN";
static const char protein_letters[PROTEIN_SIZE + 1] = "-ABCDEFGHIJKLMNOPQRSTUVWXYZ*";

static const uint8_t dna_codes[256] = {
    ['A'] = 1,  ['C'] = 2,  ['M'] = 3,  ['G'] = 4,  ['R'] = 5,  ['S'] = 6,  ['V'] = 7,
    ['T'] = 8,  ['W'] = 9,  ['Y'] = 10, ['H'] = 11, ['K'] = 12, ['D'] = 13, ['B'] = 14,
    ['N'] = 15, ['U'] = 8,  ['a'] = 1,  ['c'] = 2,  ['m'] = 3,  ['g'] = 4,  ['r'] = 5,
    ['s'] = 6,  ['v'] = 7,  ['t'] = 8,  ['w'] = 9,  ['y'] = 10, ['h'] = 11, ['k'] = 12,
    ['d'] = 13, ['b'] = 14, ['n'] = 15, ['u'] = 8,
};

static uint8_t protein_code(unsigned char letter)
{
    if (letter >= 'a' && letter <= 'z')
        return (uint8_t)(letter - 'a' + 1);
    if (letter >= 'A' && letter <= 'Z')
        return (uint8_t)(letter - 'A' + 1);
    return letter == '*' ? PROTEIN_SIZE - 1 : CODE_NONE;
}

uint8_t alphabet_code(alphabet_t alphabet, unsigned char letter)
{
    return alphabet == ALPHABET_PROTEIN ? protein_code(letter) : dna_codes[letter];
}

char alphabet_letter(alphabet_t alphabet, uint8_t code)
{
    if (alphabet == ALPHABET_PROTEIN)
        return protein_letters[code < PROTEIN_SIZE ? code : CODE_NONE];
    return dna_letters[code & (DNA_SIZE - 1)];
}

bool alphabet_is_base(alphabet_t alphabet, uint8_t code)
{
    if (alphabet == ALPHABET_PROTEIN)
        return code != CODE_NONE &&
               strchr("BJXZ*", alphabet_letter(alphabet, code)) == NULL;
    return code != 0 && (code & (code - 1)) == 0;
}

bool alphabet_is_protein_only(unsigned char letter)
{
    return letter != '\0' && strchr("EFIJLOPQZ*", toupper(letter)) != NULL;
}

alphabet_t alphabet_guess(const unsigned char *text, size_t len)
{
    size_t n_letters = 0, n_protein = 0;
    bool in_record = false, in_header = false, at_line_start = true;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = text[i];

        if (at_line_start)
            in_header = c == '>';
        in_record = in_record || in_header;
        at_line_start = c == '\n' || c == '\r';
        if (in_header || !in_record || !(isalpha(c) || c == '*'))
            continue;
        n_letters++;
        n_protein += alphabet_is_protein_only(c);
    }
    return alphabet_looks_like_protein(n_protein, n_letters) ? ALPHABET_PROTEIN
                                                             : ALPHABET_DNA;
}
