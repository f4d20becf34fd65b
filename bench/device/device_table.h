/*
 * device_table.h - rates of a stream to a remote device by the size of messages and their
 * number on the way, beside a model.
 */
#pragma once

#include <stdio.h>

enum { DEVICE_TABLE_MAX = 512 };

typedef enum { DEVICE_UP, DEVICE_DOWN, DEVICE_WAYS } device_way_t;

typedef struct {
    device_way_t way;
    int n;        /* messages on the way */
    double bytes; /* of a message */
    double rate;  /* bytes per second */
    double model; /* likewise */
} device_row_t;

typedef struct {
    const char *stream; /* its name, for titles */
    double
        plain; /* bytes per second of the same socket without a transport; 0: unknown */
    double start_s, round_trip_s;        /* of the stream, of an empty message */
    double bytes_per_s[DEVICE_WAYS];     /* what the model has */
    double message_s[DEVICE_WAYS];       /* likewise */
    double end_bytes_per_s[DEVICE_WAYS]; /* likewise */
    device_row_t rows[DEVICE_TABLE_MAX];
    int n;
} device_table_t;

/*
 * Fit the model: n messages of S bytes each are on the way for S / B + m (bandwidth,
 * overhead per message), and each is made and taken at the ends in S / E + round trip,
 * which others on the way hide,
 *
 *     rate = min(S / (S / B + m), n S / (S / B + m + S / E + round trip)).
 */
void device_table_fit(device_table_t *t);

void device_table_print(const device_table_t *t);
void device_table_tsv(const device_table_t *t);
void device_table_draw(FILE *to, const device_table_t *t);
