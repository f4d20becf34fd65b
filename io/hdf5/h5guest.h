/*
 * h5guest.h - HDF5 in a process that is not ours: the library of ribogrid.h.
 *
 * The process may use HDF5 itself, by the same shared library: what h5util_init sets for
 * good in the program is set here for the time of a call, as far as it is needed, and the
 * environment stays as it is.
 */
#pragma once

/* Begin to use HDF5, as soon as no other thread does so here. */
void h5guest_begin(void);

/* Restore what was set. */
void h5guest_end(void);
