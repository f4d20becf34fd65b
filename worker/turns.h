/*
 * turns.h - a device that runs of other processes use, too: one of them has it at a time,
 * for a turn.
 *
 * Only the device thread calls these.
 */
#pragma once

#include <stdbool.h>

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
