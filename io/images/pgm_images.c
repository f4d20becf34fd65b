/*
 * pgm_images.c - parses PGM.
 */
#include "io/images/image_read.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/file/packed_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MAX = 255 };

static const char remedy[] = "give a gray image of 8 bits (PGM)";

bool pgm_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES])
{
    return magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7';
}

/* What is parsed. */
typedef struct {
    const char *path;
    const uint8_t *at, *end;
    int64_t n; /* images before this one */
    bool is_text;
    int64_t width, height, max;
} pgm_t;

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Go on to what is no blank and, in a head, no comment. */
static void skip_blanks(pgm_t *p, bool has_comments)
{
    while (p->at < p->end && (is_blank(*p->at) || (has_comments && *p->at == '#')))
        if (*p->at == '#')
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        else
            p->at++;
}

/* @return a number of at most 9 digits, or -1: there is none */
static int64_t parse_number(pgm_t *p, bool has_comments)
{
    const uint8_t *first;
    int64_t number = 0;

    skip_blanks(p, has_comments);
    for (first = p->at; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (p->at - first < 9)
            number = 10 * number + *p->at - '0';
        else
            return -1;
    return p->at > first ? number : -1;
}

static status_t refuse_format(const pgm_t *p)
{
    static const char *const names[] = {"a bitmap (PBM)", "a gray image (PGM)",
                                        "a colour image (PPM)"};
    const int kind = p->at[1] - '1';

    return log_refusal(p->path, remedy, "image %" PRId64 " is %s", p->n + 1,
                       kind < 6 ? names[kind % 3] : "an image of another kind (PAM)");
}

static status_t parse_head(pgm_t *p)
{
    if (p->end - p->at < 2 || p->at[0] != 'P' || p->at[1] < '1' || p->at[1] > '7')
        return log_refusal(p->path, "copy it again",
                           "what follows image %" PRId64 " is no image", p->n);
    if (p->at[1] != '2' && p->at[1] != '5')
        return refuse_format(p);
    p->is_text = p->at[1] == '2';
    p->at += 2;
    p->width = parse_number(p, true);
    p->height = parse_number(p, true);
    p->max = parse_number(p, true);
    if (p->width < 0 || p->height < 0 || p->max < 0 || p->at == p->end ||
        !is_blank(*p->at++))
        return log_refusal(p->path, "copy it again",
                           "the head of image %" PRId64
                           " has no width, height and maximum",
                           p->n + 1);
    if (p->width == 0 || p->height == 0)
        return log_refusal(p->path, remedy, "image %" PRId64 " is empty", p->n + 1);
    if (p->width > IMAGE_SIDE_MAX || p->height > IMAGE_SIDE_MAX)
        return log_refusal(p->path, "cut it into parts",
                           "image %" PRId64 " is %" PRId64 " x %" PRId64
                           ", and sides are limited to %d",
                           p->n + 1, p->width, p->height, IMAGE_SIDE_MAX);
    if (p->max > VALUE_MAX)
        return log_refusal(p->path, remedy,
                           "image %" PRId64 " has 16 bits: values up to %" PRId64,
                           p->n + 1, p->max);
    return p->max > 0 ? ST_OK
                      : log_refusal(p->path, remedy,
                                    "the maximum of image %" PRId64 " is 0", p->n + 1);
}

static status_t refuse_values(const pgm_t *p, const char *what)
{
    return log_refusal(p->path, "copy it again", "image %" PRId64 " %s", p->n + 1, what);
}

/* Append an image, whose values are spread over 0 .. 255. */
static status_t parse_values(pgm_t *p, buf_t *out)
{
    const int64_t n = p->width * p->height;
    status_t st;

    if (p->end - p->at < n)
        return refuse_values(p, "is cut off");
    if ((st = buf_reserve(out, (size_t)n)) != ST_OK)
        return st;
    for (int64_t k = 0; k < n; k++) {
        const int64_t value = p->is_text ? parse_number(p, false) : *p->at++;

        if (value < 0)
            return refuse_values(p, p->at == p->end ? "is cut off"
                                                    : "has a value that is no number");
        if (value > p->max)
            return refuse_values(p, "has a value above its maximum");
        out->data[out->len++] = (uint8_t)((value * VALUE_MAX + p->max / 2) / p->max);
    }
    return ST_OK;
}

static status_t parse(pgm_t *p, image_set_t *set, buf_t *values)
{
    status_t st = ST_OK;

    do {
        if ((st = parse_head(p)) != ST_OK)
            break;
        if (p->n > 0 && (p->width != set->size[2] || p->height != set->size[1]))
            return log_refusal(p->path, "give images of one size",
                               "image %" PRId64 " is %" PRId64 " x %" PRId64
                               ", and the first one %d x %d",
                               p->n + 1, p->width, p->height, set->size[2], set->size[1]);
        set->size[1] = (int)p->height;
        set->size[2] = (int)p->width;
        if ((st = parse_values(p, values)) != ST_OK)
            break;
        set->n = ++p->n;
        skip_blanks(p, false);
    } while (p->at < p->end);
    return st;
}

status_t pgm_images_read(const char *path, image_set_t *out)
{
    image_set_t set = {.size = {1, 0, 0}};
    buf_t bytes = {0}, values = {0};
    status_t st = packed_input_read_file(path, &bytes);
    pgm_t p = {.path = path, .at = bytes.data, .end = bytes.data + bytes.len};

    if (st == ST_OK)
        st = parse(&p, &set, &values);
    buf_free(&bytes);
    *out = (image_set_t){.n = 0};
    if (st == ST_OK) {
        set.bytes = values.data;
        *out = set;
    } else {
        buf_free(&values);
    }
    return st;
}
