/*
 * matrix_file.c - parses and checks score matrices.
 */
#include "io/seq/matrix_file.h"

#include "io/base/logmsg.h"
#include "io/file/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1000 };

typedef struct {
    lines_t *lines;
    int n_columns;
    uint8_t column[ALPHABET_SIZE + 2]; /* a column's code; CODE_NONE for '*' */
    score_matrix_t *matrix;
    bool row_seen[ALPHABET_SIZE];
} reader_t;

static status_t refuse(const reader_t *r, const char *cause)
{
    static const char *const examples[] = {"NUC.4.4", "BLOSUM62"};

    return lines_refuse(r->lines,
                        "%s; give a symmetric %s matrix in NCBI format, such as %s",
                        cause, alphabet_sequences[r->matrix->alphabet],
                        examples[r->matrix->alphabet]);
}

/* Parse the letter of a column or a row.  '*' of DNA is CODE_NONE, which is ignored. */
static status_t letter_of(const reader_t *r, const char *word, uint8_t *out)
{
    const alphabet_t alphabet = r->matrix->alphabet;

    if (alphabet == ALPHABET_DNA && strcmp(word, "*") == 0) {
        *out = CODE_NONE;
        return ST_OK;
    }
    *out = alphabet_code(alphabet, (unsigned char)word[0]);
    if (word[1] != '\0' || *out == CODE_NONE) {
        char cause[80];

        snprintf(cause, sizeof(cause), "'%.20s' is not %s letter", word,
                 alphabet_a_letter[alphabet]);
        return refuse(r, cause);
    }
    return ST_OK;
}

static status_t read_header(reader_t *r, char *line)
{
    status_t st;
    char *rest;

    for (char *word = strtok_r(line, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        uint8_t code;

        if ((st = letter_of(r, word, &code)) != ST_OK)
            return st;
        if (r->n_columns > ALPHABET_SIZE || r->matrix->has[code])
            return refuse(r, r->matrix->alphabet == ALPHABET_DNA
                                 ? "a letter occurs twice in the header (U is T)"
                                 : "a letter occurs twice in the header");
        if (code != CODE_NONE)
            r->matrix->has[code] = true;
        r->column[r->n_columns++] = code;
    }
    return ST_OK;
}

static status_t read_row(reader_t *r, char *line)
{
    char *rest, *word = strtok_r(line, " \t", &rest);
    uint8_t row;
    status_t st;

    if ((st = letter_of(r, word, &row)) != ST_OK)
        return st;
    if (row != CODE_NONE && (!r->matrix->has[row] || r->row_seen[row]))
        return refuse(r, "the letter of a row has no column, or has two rows");
    r->row_seen[row] = true;
    for (int c = 0; c < r->n_columns; c++) {
        char *end;
        long score;

        if ((word = strtok_r(NULL, " \t", &rest)) == NULL)
            return refuse(r, "a row has too few scores");
        score = strtol(word, &end, 10);
        if (*end != '\0' || score < -MATRIX_SCORE_MAX || score > MATRIX_SCORE_MAX)
            return refuse(r, "a score is not a whole number from -1000000 to 1000000");
        if (row != CODE_NONE && r->column[c] != CODE_NONE)
            r->matrix->score[row][r->column[c]] = (int32_t)score;
    }
    if (strtok_r(NULL, " \t", &rest) != NULL)
        return refuse(r, "a row has too many scores");
    return ST_OK;
}

/* @return whether a matrix must have a letter: a base, or one of the 20 amino acids */
static bool is_required(alphabet_t alphabet, uint8_t code)
{
    char letter = alphabet_letter(alphabet, code);

    return alphabet_is_base(alphabet, code) &&
           (alphabet == ALPHABET_DNA || (letter != 'U' && letter != 'O'));
}

static status_t check(const reader_t *r)
{
    const score_matrix_t *m = r->matrix;

    for (int a = 1; a < alphabet_size(m->alphabet); a++) {
        if (m->has[a] && !r->row_seen[a])
            return refuse(r, "a letter has a column but no row");
        if (is_required(m->alphabet, (uint8_t)a) && !m->has[a])
            return refuse(r, m->alphabet == ALPHABET_DNA
                                 ? "A, C, G or T is missing"
                                 : "one of the 20 amino acids is missing");
    }
    for (int a = 1; a < alphabet_size(m->alphabet); a++)
        for (int b = 1; b < alphabet_size(m->alphabet); b++)
            if (m->score[a][b] != m->score[b][a])
                return refuse(r, "the matrix is not symmetric");
    for (int a = 1; m->alphabet == ALPHABET_DNA && a < DNA_SIZE; a *= 2)
        for (int b = 1; b < DNA_SIZE; b *= 2)
            if (a != b && m->score[a][a] <= m->score[a][b])
                return refuse(r, "a base scores no higher with itself than with another");
    return ST_OK;
}

static status_t read_lines(reader_t *r)
{
    char *line;
    status_t st;

    while ((st = lines_next(r->lines, &line)) == ST_OK && line != NULL) {
        if (strlen(line) > LINE_MAX_BYTES)
            st = refuse(r, "a line is too long");
        else if (line[0] != '#' && line[strspn(line, " \t")] != '\0')
            st = r->n_columns == 0 ? read_header(r, line) : read_row(r, line);
        if (st != ST_OK)
            return st;
    }
    return st;
}

static status_t check_alphabet(const char *name, alphabet_t alphabet,
                               const score_matrix_t *matrix)
{
    if (matrix->alphabet == alphabet)
        return ST_OK;
    log_error("the matrix %s is for %s sequences, and these are %s sequences; give "
              "another one",
              name, alphabet_sequences[matrix->alphabet], alphabet_sequences[alphabet]);
    return ST_EINPUT;
}

status_t matrix_file_read(const char *path, alphabet_t alphabet, score_matrix_t *out)
{
    score_matrix_t matrix = {.alphabet = alphabet};
    reader_t r = {.matrix = &matrix};
    status_t st;

    if (named_matrix_find(path, out))
        return check_alphabet(path, alphabet, out);
    if ((st = lines_open(path, &r.lines)) == ST_OK && (st = read_lines(&r)) == ST_OK &&
        (st = check(&r)) == ST_OK) {
        score_matrix_fill_by_x(&matrix);
        *out = matrix;
    }
    lines_close(r.lines);
    return st;
}
