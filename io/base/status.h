/*
 * status.h - status codes of functions and exit codes of the program.
 *
 * Errors are negative.  The function that detects an error logs it with log_error
 * (logmsg.h); its callers pass the code on and log nothing.
 */
#pragma once

#define MUST_CHECK __attribute__((warn_unused_result))

typedef enum {
    ST_OK = 0,
    ST_ENOMEM = -1,   /* out of memory */
    ST_EUSAGE = -2,   /* invalid command line or options */
    ST_EINPUT = -3,   /* invalid input */
    ST_EIO = -4,      /* reading or writing failed */
    ST_EDEVICE = -5,  /* a device failed or lacks a capability */
    ST_EBUSY = -6,    /* another process holds a lock */
    ST_ESTOPPED = -7, /* interrupted; finished work is kept */
    ST_EPEER = -8,    /* another rank failed and logged the reason */
    ST_EDONE = -9,    /* nothing to do: the result exists already */
    ST_ELOST = -10    /* the device failed; another one may continue */
} status_t;

/* Exit codes of the program; 75 is EX_TEMPFAIL of sysexits(3). */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_RESUMABLE = 75 };

/* @return the exit code for a status */
int status_exit_code(status_t st);
