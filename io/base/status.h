/*
 * status.h - what a call returns, and the exit code that the program makes of it.
 *
 * Errors are negative.  Who finds an error logs it, once, with log_error (logmsg.h); who
 * passes it on is silent.
 */
#ifndef RIBOGRID_IO_BASE_STATUS_H
#define RIBOGRID_IO_BASE_STATUS_H

#define MUST_CHECK __attribute__((warn_unused_result))

typedef enum {
    ST_OK = 0,
    ST_ENOMEM = -1,   /* memory ran out */
    ST_EUSAGE = -2,   /* the command line cannot be meant */
    ST_EINPUT = -3,   /* an input is not what it should be */
    ST_EIO = -4,      /* reading or writing failed */
    ST_EDEVICE = -5,  /* a device failed or cannot do what is asked */
    ST_EBUSY = -6,    /* another process holds what is needed */
    ST_ESTOPPED = -7, /* asked to stop; what is finished is kept */
    ST_EPEER = -8,    /* another rank failed and has said why */
    ST_EDONE = -9     /* nothing left to do: the result is there already */
} status_t;

/* Exit codes of the program, as sysexits(3) has 75 (EX_TEMPFAIL). */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_RESUMABLE = 75 };

/* @return the exit code that stands for st */
int status_exit_code(status_t st);

#endif
