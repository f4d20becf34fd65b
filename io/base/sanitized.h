/*
 * sanitized.h - whether this is a build with sanitizers, which reserve terabytes of
 * address space: limits of memory do not go with them.
 */
#pragma once

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||   \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer) || \
    HAS_FEATURE(memory_sanitizer)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif
