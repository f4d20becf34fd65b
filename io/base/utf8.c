/*
 * utf8.c - the table of well-formed byte sequences (Unicode, table 3-7) as ranges.
 */
#include "io/base/utf8.h"

typedef struct {
    unsigned char first_min, first_max; /* of the first byte */
    unsigned char next_min, next_max;   /* of the second; later ones are 80..bf */
    size_t len;
} range_t;

/* Without control characters: 00..1f and 7f, and c2 80..9f. */
static const range_t ranges[] = {
    {0x20, 0x7e, 0x00, 0x00, 1}, {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
    {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
    {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
    {0xf4, 0xf4, 0x80, 0x8f, 4}};

static bool starts_with(const unsigned char *text, size_t len, const range_t *r)
{
    if (text[0] < r->first_min || text[0] > r->first_max || len < r->len)
        return false;
    if (r->len > 1 && (text[1] < r->next_min || text[1] > r->next_max))
        return false;
    for (size_t i = 2; i < r->len; i++)
        if (text[i] < 0x80 || text[i] > 0xbf)
            return false;
    return true;
}

/* @return the bytes of the clean character at the start of a text of len > 0 bytes; 0 if
 * it does not start with one */
static size_t clean_len(const char *text, size_t len)
{
    for (size_t k = 0; k < sizeof(ranges) / sizeof(ranges[0]); k++)
        if (starts_with((const unsigned char *)text, len, &ranges[k]))
            return ranges[k].len;
    return 0;
}

bool utf8_is_clean(const char *text, size_t len)
{
    size_t at = 0, step = 1;

    while (at < len && step > 0) {
        step = clean_len(text + at, len - at);
        at += step;
    }
    return at == len;
}

status_t utf8_escape(const char *text, size_t len, int except, buf_t *out)
{
    size_t begin = 0, at = 0; /* clean text from begin on is not appended yet */
    status_t st = ST_OK;

    while (st == ST_OK && at < len) {
        size_t step =
            (unsigned char)text[at] == except ? 1 : clean_len(text + at, len - at);

        at += step;
        if (step > 0)
            continue;
        if ((st = buf_append(out, text + begin, at - begin)) == ST_OK)
            st = buf_printf(out, "\\x%02x", (unsigned char)text[at]);
        begin = ++at;
    }
    if (st == ST_OK && begin < len) /* an empty text may be NULL */
        st = buf_append(out, text + begin, len - begin);
    return st;
}

size_t utf8_cut(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
        max--;
    return max;
}
