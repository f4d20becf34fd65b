/*
 * thread.h - starts the program's own threads.
 */
#ifndef RIBOGRID_IO_BASE_THREAD_H
#define RIBOGRID_IO_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Start a thread that blocks all signals, so that only the main thread handles them.
 * @return whether it was started */
bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
