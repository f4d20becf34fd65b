/*
 * kernel_list.c - lists of kernels.
 */
#include "kernels/device/kernel_list.h"

#include "io/base/logmsg.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_BYTES = 512 };

void kernel_list_add(kernel_list_t *list, const char *name, device_kind_t kind)
{
    assert(list->n < KERNEL_LIST_MAX);
    list->at[list->n].name = name;
    list->at[list->n++].kind = kind;
}

bool kernel_list_has(const kernel_list_t *list, const char *name, device_kind_t kind)
{
    for (int i = 0; i < list->n; i++)
        if (list->at[i].kind == kind && strcmp(list->at[i].name, name) == 0)
            return true;
    return false;
}

status_t kernel_list_refuse(const kernel_list_t *list, const char *name,
                            device_kind_t kind)
{
    char names[NAMES_BYTES] = "auto";

    for (int i = 0; i < list->n; i++) {
        const size_t len = strlen(names);

        if (list->at[i].kind == kind)
            snprintf(names + len, sizeof(names) - len, " %s", list->at[i].name);
    }
    log_error("--kernel %s: no such kernel for this device; choose from: %s", name,
              names);
    return ST_EUSAGE;
}
