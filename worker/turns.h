/*
 * turns.h - a device that runs of other processes use, too: one of them has it at a time,
 * for a turn.
 *
 * Only the device thread calls these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct turns {
    /* Take a turn, or go on with it; wait for it for some hundredths of a second.
     * @return whether there is one; always, where nobody else uses the device */
    bool (*take)(struct turns *t);

    /* @return whether others wait for the end of this turn: nothing is to begin in it */
    bool (*is_over)(struct turns *t);

    /* @return whether others use the device: what begins should be short */
    bool (*is_shared)(struct turns *t);

    /* End the turn, if there is one, or the wait for it. */
    void (*end)(struct turns *t);
} turns_t;

/* End the turn, if there are turns. @param t  NULL: nobody else uses the device */
static inline void turns_end(turns_t *t)
{
    if (t != NULL)
        t->end(t);
}

/* End a turn that is over, and take the next one; nothing is on the device.
 * @param t, @return as turns_end, and as take */
static inline bool turns_next(turns_t *t)
{
    if (t == NULL)
        return true;
    if (t->is_over(t))
        t->end(t);
    return t->take(t);
}
