/*
 * cmd_ihist_query.c - `ribogrid ihist query`: the histogram of a rectangle.
 */
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/ihist/ihist_file.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/print/ihist_print.h"
#include "worker/job_opts.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    job_opts_t common;
    const char *input, *rect;
    int64_t frame; /* from 1 */
    int64_t x[2], y[2];
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "H.h5", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {OPTION_TEXT, "rect", 0, AT(rect), "X0,Y0,X1,Y1",
     "columns X0 to X1-1 and rows Y0 to Y1-1, counted from 0 (default: all)"},
    {OPTION_INT, "frame", 0, AT(frame), "N", "of image N, from 1 ({})", 1, INT64_MAX},
    {.kind = OPTION_END}};

/* @return whether a text is four numbers, ascending */
static bool parse_rect(args_t *a)
{
    int64_t *const to[] = {&a->x[0], &a->y[0], &a->x[1], &a->y[1]};
    const char *at = a->rect;

    for (int k = 0; k < 4; k++) {
        char *end;

        if (*at < '0' || *at > '9')
            return false;
        *to[k] = strtoll(at, &end, 10);
        if (*end != (k < 3 ? ',' : '\0'))
            return false;
        at = end + 1;
    }
    return a->x[0] < a->x[1] && a->y[0] < a->y[1];
}

static status_t check_place(const args_t *a, const ihist_head_t *h)
{
    if (a->frame > h->n_frames)
        return log_refusal(a->input, "give a smaller --frame",
                           "it has %" PRId64 " image%s, and not %" PRId64, h->n_frames,
                           plural(h->n_frames), a->frame);
    if (a->x[1] > h->width || a->y[1] > h->height)
        return log_refusal(a->input, "give a rectangle in it",
                           "its images are %" PRId64 " x %" PRId64
                           ", and --rect ends at %" PRId64 ",%" PRId64,
                           h->width, h->height, a->x[1], a->y[1]);
    return ST_OK;
}

static status_t answer(args_t *a)
{
    const ihist_head_t *head = NULL;
    ihist_file_t *f = NULL;
    int64_t *count = NULL;
    status_t st = ihist_file_open(a->input, &f, &head);

    if (st == ST_OK && a->rect == NULL) {
        a->x[1] = head->width;
        a->y[1] = head->height;
    }
    if (st == ST_OK)
        st = check_place(a, head);
    if (st == ST_OK && (count = malloc((size_t)head->n_bins * sizeof(*count))) == NULL)
        st = log_nomem("a histogram");
    if (st == ST_OK &&
        (st = ihist_file_count(f, a->frame - 1, a->x, a->y, count)) == ST_OK)
        ihist_print_counts(head, count, stdout);
    free(count);
    ihist_file_close(f);
    return st;
}

static status_t run(void *args)
{
    args_t *a = args;

    if (a->rect != NULL && !parse_rect(a))
        return options_misuse(&cmd_ihist_query,
                              "--rect %s: give X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1",
                              a->rect);
    return answer(a);
}

static void defaults(void *args)
{
    ((args_t *)args)->frame = 1;
}

const command_t cmd_ihist_query = {
    .name = "ihist query",
    .summary = "the histogram of a rectangle of an image",
    .words = words,
    .usage = "[--rect X0,Y0,X1,Y1] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "Prints the values of each bin, and how many pixels of the rectangle have "
             "them.\n",
    .example = "ribogrid ihist query photo.h5 --rect 100,50,300,200",
    .reads_results = true,
    .defaults = defaults,
    .run = run,
};
