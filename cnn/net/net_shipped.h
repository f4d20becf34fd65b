/*
 * net_shipped.h - the networks that are part of the program: cnn/net/shipped/NAME.ini,
 * from which CMake makes this list.
 */
#ifndef RIBOGRID_CNN_NET_NET_SHIPPED_H
#define RIBOGRID_CNN_NET_NET_SHIPPED_H

typedef struct {
    const char *name, *text;
} net_shipped_t;

/* In the order of docs/cnn.md; the last has no name. */
extern const net_shipped_t net_shipped[];

#endif
