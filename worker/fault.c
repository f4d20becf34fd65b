/*
 * fault.c - failures on demand, for tests.
 */
#include "worker/fault.h"

#ifdef RIBOGRID_FAULTS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool fault_loses_device(int rank, int64_t k)
{
    const char *text = getenv("RIBOGRID_LOSE_DEVICE");
    int64_t batch;
    int of_rank;

    return text != NULL && sscanf(text, "%d:%" SCNd64, &of_rank, &batch) == 2 &&
           of_rank == rank && batch == k;
}

#endif
