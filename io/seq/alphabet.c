/*
 * alphabet.c - tables between letters and codes.
 */
#include "io/seq/alphabet.h"

static const char letters[ALPHABET_SIZE + 1] = "-ACMGRSVTWYHKDBN";

static const uint8_t codes[256] = {
    ['A'] = 1,  ['C'] = 2,  ['M'] = 3,  ['G'] = 4,  ['R'] = 5,  ['S'] = 6,  ['V'] = 7,
    ['T'] = 8,  ['W'] = 9,  ['Y'] = 10, ['H'] = 11, ['K'] = 12, ['D'] = 13, ['B'] = 14,
    ['N'] = 15, ['U'] = 8,  ['a'] = 1,  ['c'] = 2,  ['m'] = 3,  ['g'] = 4,  ['r'] = 5,
    ['s'] = 6,  ['v'] = 7,  ['t'] = 8,  ['w'] = 9,  ['y'] = 10, ['h'] = 11, ['k'] = 12,
    ['d'] = 13, ['b'] = 14, ['n'] = 15, ['u'] = 8,
};

uint8_t alphabet_code(unsigned char letter)
{
    return codes[letter];
}

char alphabet_letter(uint8_t code)
{
    return letters[code & 15];
}

bool alphabet_is_base(uint8_t code)
{
    return code != 0 && (code & (code - 1)) == 0;
}
