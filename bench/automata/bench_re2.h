/*
 * bench_re2.h - a wrapper of RE2, which is C++: a set of patterns.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* @return an empty set, or NULL if out of memory */
void *bench_re2_open(void);

/* Add a pattern; numbers count from 0. @return whether RE2 takes it */
int bench_re2_add(void *re2, const char *text, size_t len, int is_caseless,
                  int is_dot_any);

/* @return whether the set of all patterns could be made */
int bench_re2_compile(void *re2);

/* @param found  [patterns added] 1 is set for those that match anywhere in the bytes
 * @return their number, or -1 if RE2 has run out of its memory */
int bench_re2_match(void *re2, const char *bytes, size_t n, unsigned char *found);

/* Takes NULL. */
void bench_re2_close(void *re2);

#ifdef __cplusplus
}
#endif
