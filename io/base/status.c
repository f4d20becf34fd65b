/*
 * status.c - exit codes.
 */
#include "io/base/status.h"

int status_exit_code(status_t st)
{
    switch (st) {
    case ST_OK:
    case ST_EDONE:
        return EXIT_OK;
    case ST_EUSAGE:
        return EXIT_USAGE;
    case ST_ESTOPPED:
        return EXIT_RESUMABLE;
    default:
        return EXIT_FAILED;
    }
}
