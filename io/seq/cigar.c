/*
 * cigar.c - writes runs as CIGAR text.
 */
#include "io/seq/cigar.h"

const char *const cigar_style_name[2] = {"m", "eqx"};

const unsigned char cigar_op_of[256] = {['M'] = CIGAR_M + 1,
                                        ['I'] = CIGAR_I + 1,
                                        ['D'] = CIGAR_D + 1,
                                        ['='] = CIGAR_EQ + 1,
                                        ['X'] = CIGAR_X + 1};

enum { RUN_TEXT_MAX = 11 }; /* at most ten digits, and the operation */

static unsigned char *put_run(int64_t len, cigar_op_t op, unsigned char *out)
{
    unsigned char digits[RUN_TEXT_MAX];
    int n = 0;

    do
        digits[n++] = (unsigned char)('0' + len % 10);
    while ((len /= 10) > 0);
    while (n > 0)
        *out++ = digits[--n];
    *out++ = (unsigned char)"MIDNSHP=X"[op];
    return out;
}

static cigar_op_t styled(uint32_t run, cigar_style_t style)
{
    cigar_op_t op = cigar_run_op(run);

    return style == CIGAR_STYLE_M && (op == CIGAR_EQ || op == CIGAR_X) ? CIGAR_M : op;
}

status_t cigar_append_text(const uint32_t *runs, int64_t n, cigar_style_t style,
                           buf_t *out)
{
    status_t st = buf_reserve(out, (size_t)n * RUN_TEXT_MAX);
    unsigned char *at;

    if (st != ST_OK || n == 0)
        return st;
    at = out->data + out->len;
    for (int64_t i = 0, len = 0; i < n; i++) {
        cigar_op_t op = styled(runs[i], style);

        len += cigar_run_len(runs[i]);
        if (i + 1 < n && styled(runs[i + 1], style) == op)
            continue;
        at = put_run(len, op, at);
        len = 0;
    }
    out->len = (size_t)(at - out->data);
    return ST_OK;
}
