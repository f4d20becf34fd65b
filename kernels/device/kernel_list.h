/*
 * kernel_list.h - the kernels of a job by name, and what is said of other names.
 */
#ifndef RIBOGRID_KERNELS_DEVICE_KERNEL_LIST_H
#define RIBOGRID_KERNELS_DEVICE_KERNEL_LIST_H

#include "kernels/device/device.h"

enum { KERNEL_LIST_MAX = 32 };

/* In order of preference; a kernel that runs on both kinds of device is there twice. */
typedef struct {
    int n;
    struct {
        const char *name;
        device_kind_t kind;
    } at[KERNEL_LIST_MAX];
} kernel_list_t;

/* @param name  borrowed */
void kernel_list_add(kernel_list_t *list, const char *name, device_kind_t kind);

bool kernel_list_has(const kernel_list_t *list, const char *name, device_kind_t kind);

/* Log that a kind of device has no such kernel, and which it has. @return ST_EUSAGE */
status_t kernel_list_refuse(const kernel_list_t *list, const char *name,
                            device_kind_t kind);

#endif
