/*
 * rapl.h - energy of the processors through Linux' powercap files (RAPL).
 *
 * Only whole packages are added up; their parts (cores, memory controllers) are within
 * them.  Counters are in microjoules and wrap around.
 */
#ifndef RIBOGRID_CNN_ENERGY_RAPL_H
#define RIBOGRID_CNN_ENERGY_RAPL_H

#include <stdbool.h>

#define RAPL_FOLDER "/sys/class/powercap"

enum { RAPL_PACKAGES_MAX = 16, RAPL_WHY_BYTES = 320 };

typedef struct {
    int n;
    char file[RAPL_PACKAGES_MAX][256]; /* energy_uj */
    double range_j[RAPL_PACKAGES_MAX]; /* where the counter wraps */
    double last_j[RAPL_PACKAGES_MAX];
    double total_j;
} rapl_t;

/*
 * Find the packages and begin at 0 joules.
 *
 * @param folder  RAPL_FOLDER
 * @param why     out, [RAPL_WHY_BYTES]: why there are none, for people
 * @return whether there are any that this user may read
 */
bool rapl_open(rapl_t *r, const char *folder, char *why);

/* Read the joules since rapl_open; must be called before a counter has wrapped twice,
 * which takes minutes. @return whether it could be read */
bool rapl_energy_j(rapl_t *r, double *out);

#endif
