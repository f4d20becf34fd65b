/*
 * memory_limit.h - how much memory this process may use, and refusing what needs more
 * before any of it is allocated.
 *
 * A system may promise memory that it does not have, and kill who uses it.
 */
#pragma once

#include "io/base/status.h"

#include <stdint.h>

/* @return bytes: what the machine has, or the limit of the process's cgroup, or that of
 *         `ulimit -v` or `ulimit -d`, whichever is lowest */
int64_t memory_limit(void);

/*
 * Refuse what needs more than that.
 *
 * @param bytes   an estimate
 * @param remedy  "give a smaller --batch"
 * @param fmt     what needs it: "a graph of 12 nodes"
 * @return ST_OK or ST_ENOMEM (logged: "memory for WHAT: BYTES, and ...; REMEDY")
 */
status_t memory_limit_check(double bytes, const char *remedy, const char *fmt,
                            ...) MUST_CHECK __attribute__((format(printf, 3, 4)));
