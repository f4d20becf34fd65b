/*
 * abundance.c - sizes in record names, and merging of counts.
 */
#include "io/prepare/abundance.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Find ";size=N" in a name, or "size=N" at its start, followed by ';', a blank or the
 * end.
 *
 * @param begin, end  the bytes to cut out, so that a single ';' remains between the text
 *                    before and after
 * @param size        N; INT64_MAX if N is larger
 */
static bool find_size(const char *name, size_t *begin, size_t *end, int64_t *size)
{
    static const char mark[] = "size=";
    const char *at = name;

    for (; (at = strstr(at, mark)) != NULL; at++) {
        const char *digits = at + sizeof(mark) - 1, *stop = digits;

        if (at > name && at[-1] != ';')
            continue;
        for (*size = 0; *stop >= '0' && *stop <= '9'; stop++)
            *size = *size > (INT64_MAX - 9) / 10 ? INT64_MAX : 10 * *size + (*stop - '0');
        if (stop == digits || strchr("; ", *stop) == NULL) /* finds '\0', too */
            continue;
        *begin = (size_t)(at - name) - (at > name);
        *end = (size_t)(stop - name);
        if (*stop == ';' && (stop[1] == '\0' || stop[1] == ' ' || at == name))
            ++*end;
        while (at == name && name[*end] == ' ') /* a whole header has blanks */
            ++*end;
        return true;
    }
    return false;
}

bool abundance_is_annotated(const char *name)
{
    size_t begin, end;
    int64_t size;

    return find_size(name, &begin, &end, &size);
}

/* Parse the size in a name, 1 if there is none, and cut it out. */
static status_t take_size(const char *input, int64_t record, char *name, int64_t *size)
{
    size_t begin, end;

    if (!find_size(name, &begin, &end, size)) {
        *size = 1;
        return ST_OK;
    }
    if (*size < 1 || *size > ABUNDANCE_MAX) {
        log_error("%s: record %" PRId64
                  " '%.80s': the size must be a whole number from 1 "
                  "to %" PRId64 "; correct it",
                  input, record + 1, name, ABUNDANCE_MAX);
        return ST_EINPUT;
    }
    if (begin == 0 && name[end] == '\0') {
        log_error("%s: record %" PRId64 " '%.80s' has a size but no name; give it a "
                  "name",
                  input, record + 1, name);
        return ST_EINPUT;
    }
    memmove(name + begin, name + end, strlen(name + end) + 1);
    return ST_OK;
}

status_t abundance_from_names(const char *input, seqset_t *set, abundance_t *out)
{
    int64_t *size = malloc(((size_t)set->n + 1) * sizeof(*size));
    int64_t start = 0;

    if (size == NULL)
        return log_nomem("the sizes");
    for (int64_t i = 0; i < set->n; i++) {
        char *name = set->names + set->name_offset[i];
        status_t st = take_size(input, i, name, &size[i]);
        size_t bytes = strlen(name) + 1;

        if (st != ST_OK) {
            free(size);
            return st;
        }
        /* keep the names contiguous */
        memmove(set->names + start, name, bytes);
        set->name_offset[i] = start;
        start += (int64_t)bytes;
    }
    set->name_offset[set->n] = start;
    *out = (abundance_t){.size = size};
    return ST_OK;
}

static int by_row_and_sample(const void *a, const void *b)
{
    const abundance_count_t *p = a, *q = b;

    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return (p->sample > q->sample) - (p->sample < q->sample);
}

void abundance_merge(buf_t *counts)
{
    abundance_count_t *c = (abundance_count_t *)counts->data;
    size_t n = counts->len / sizeof(*c), n_kept = 0;

    if (n == 0)
        return;
    qsort(c, n, sizeof(*c), by_row_and_sample);
    for (size_t i = 1; i < n; i++)
        if (by_row_and_sample(&c[n_kept], &c[i]) == 0)
            c[n_kept].count += c[i].count;
        else
            c[++n_kept] = c[i];
    counts->len = (n_kept + 1) * sizeof(*c);
}

void abundance_free(abundance_t *a)
{
    free(a->size);
    name_table_free(&a->samples);
    buf_free(&a->counts);
    *a = (abundance_t){0};
}
