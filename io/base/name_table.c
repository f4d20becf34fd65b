/*
 * name_table.c - a hash table with open addressing.
 */
#include "io/base/name_table.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static int64_t start_of(const name_table_t *t, int64_t number)
{
    int64_t start;

    memcpy(&start, t->starts.data + (size_t)number * sizeof(start), sizeof(start));
    return start;
}

const char *name_table_at(const name_table_t *t, int64_t number)
{
    return (const char *)t->text.data + start_of(t, number);
}

/* @return the slot that holds the name, or the empty slot where it belongs */
static int64_t *slot_of(const name_table_t *t, const char *name, size_t len)
{
    uint64_t digest = digest_add(DIGEST_START, name, len);
    uint64_t mask = (uint64_t)t->n_slots - 1, at = (digest ^ digest >> 32) & mask;

    for (; t->slots[at] >= 0; at = (at + 1) & mask) {
        const char *other = name_table_at(t, t->slots[at]);

        if (strncmp(other, name, len) == 0 && other[len] == '\0')
            break;
    }
    return &t->slots[at];
}

/* Make room for one more name.  At most half of the slots are taken, which keeps searches
 * short. */
static status_t grow(name_table_t *t)
{
    int64_t n_slots = t->n_slots > 0 ? 2 * t->n_slots : FIRST_SLOTS;
    int64_t *slots;

    if (2 * (t->n + 1) <= t->n_slots)
        return ST_OK;
    if ((slots = malloc((size_t)n_slots * sizeof(*slots))) == NULL)
        return log_nomem("the names");
    memset(slots, 0xff, (size_t)n_slots * sizeof(*slots)); /* -1 */
    free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    for (int64_t i = 0; i < t->n; i++)
        *slot_of(t, name_table_at(t, i), strlen(name_table_at(t, i))) = i;
    return ST_OK;
}

status_t name_table_add(name_table_t *t, const char *name, size_t len, int64_t *number,
                        bool *is_new)
{
    int64_t start = (int64_t)t->text.len;
    status_t st = grow(t);
    int64_t *slot;

    if (st != ST_OK)
        return st;
    slot = slot_of(t, name, len);
    if (is_new != NULL)
        *is_new = *slot < 0;
    if (*slot < 0) {
        if ((st = buf_reserve(&t->text, len + 1)) != ST_OK ||
            (st = buf_append(&t->starts, &start, sizeof(start))) != ST_OK ||
            (st = buf_append(&t->text, name, len)) != ST_OK ||
            (st = buf_append(&t->text, "", 1)) != ST_OK)
            return st;
        *slot = t->n++;
    }
    *number = *slot;
    return ST_OK;
}

int64_t name_table_find(const name_table_t *t, const char *name, size_t len)
{
    return t->n > 0 ? *slot_of(t, name, len) : -1;
}

void name_table_free(name_table_t *t)
{
    buf_free(&t->text);
    buf_free(&t->starts);
    free(t->slots);
    *t = (name_table_t){0};
}
