/*
 * cigar.c - writes runs as CIGAR text.
 */
#include "io/seq/cigar.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

const char *const cigar_style_name[2] = {"m", "eqx"};

const unsigned char cigar_op_of[256] = {['M'] = CIGAR_M + 1,
                                        ['I'] = CIGAR_I + 1,
                                        ['D'] = CIGAR_D + 1,
                                        ['='] = CIGAR_EQ + 1,
                                        ['X'] = CIGAR_X + 1};

/* A run: at most ten digits, and the operation.  A write may touch SPARE bytes more. */
enum { RUN_TEXT_MAX = 11, SPARE = 4, INT64_DIGITS = 19 };

/* Nearly all runs are shorter: their digits are copied from a table. */
enum { LEN_TABLE = 1000 };

typedef struct {
    unsigned char digits[3], n;
} number_t;

static number_t numbers[LEN_TABLE];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* What is written for each operation. */
static const unsigned char letters[2][16] = {
    [CIGAR_STYLE_M] = "MIDNSHPMM", [CIGAR_STYLE_EQX] = "MIDNSHP=X"};

/* @return how many digits there are */
static int put_digits(int64_t len, unsigned char *out)
{
    unsigned char reversed[INT64_DIGITS];
    int n = 0;

    do
        reversed[n++] = (unsigned char)('0' + len % 10);
    while ((len /= 10) > 0);
    for (int k = 0; k < n; k++)
        out[k] = reversed[n - 1 - k];
    return n;
}

static void fill_numbers(void)
{
    for (int64_t len = 0; len < LEN_TABLE; len++)
        numbers[len].n = (unsigned char)put_digits(len, numbers[len].digits);
}

/* Every run is written, but the next one overwrites it if it has the same letter: whether
 * runs of = and X join to one of M is hard to predict, so there is no branch for it. */
static size_t write_text(const uint32_t *runs, int64_t n, const unsigned char *letter,
                         unsigned char *out)
{
    unsigned char *at = out;
    int64_t len = 0;

    for (int64_t i = 0; i < n; i++) {
        unsigned char now = letter[cigar_run_op(runs[i])];
        unsigned char next = i + 1 < n ? letter[cigar_run_op(runs[i + 1])] : 0;
        int64_t ends = -(int64_t)(now != next); /* all bits or none */
        int64_t n_digits;

        len += cigar_run_len(runs[i]);
        if (len < LEN_TABLE) {
            memcpy(at, &numbers[len], sizeof(numbers[len]));
            n_digits = numbers[len].n;
        } else {
            n_digits = put_digits(len, at);
        }
        at[n_digits] = now;
        at += (n_digits + 1) & ends;
        len &= ~ends;
    }
    return (size_t)(at - out);
}

/* @return whether a run is a gap, whose bases are added */
static bool add_gap(uint32_t run, int64_t *query, int64_t *target)
{
    if (cigar_run_op(run) == CIGAR_I)
        *query += cigar_run_len(run);
    else if (cigar_run_op(run) == CIGAR_D)
        *target += cigar_run_len(run);
    else
        return false;
    return true;
}

cigar_margins_t cigar_margins(const uint32_t *runs, int64_t n)
{
    cigar_margins_t m = {.end = n};

    while (m.first < m.end && add_gap(runs[m.first], &m.query_left, &m.target_left))
        m.first++;
    while (m.first < m.end && add_gap(runs[m.end - 1], &m.query_right, &m.target_right))
        m.end--;
    return m;
}

status_t cigar_append_text(const uint32_t *runs, int64_t n, cigar_style_t style,
                           buf_t *out)
{
    status_t st = buf_reserve(out, (size_t)n * RUN_TEXT_MAX + SPARE);

    if (st != ST_OK || n == 0)
        return st;
    pthread_once(&once, fill_numbers);
    out->len += write_text(runs, n, letters[style], out->data + out->len);
    return ST_OK;
}
