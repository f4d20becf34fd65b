/*
 * one_device.c - finds the device that --device names.
 */
#include "tools/options/one_device.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <string.h>

status_t one_device_find(const command_t *command, const char *text, device_t *out)
{
    const bool is_auto = strcmp(text, "auto") == 0, must = strncmp(text, "cuda", 4) == 0;
    device_t gpus[DEVICES_MAX];
    int index = 0, n = 0;
    char after;

    if (!is_auto && strcmp(text, "cpu") != 0 && strcmp(text, "cuda") != 0 &&
        (sscanf(text, "cuda:%d%c", &index, &after) != 1 || index < 0))
        return options_misuse(command, "--device %s: give auto, cpu, cuda or cuda:I",
                              text);
    *out = device_cpu();
    if (must || is_auto)
        n = device_list_cuda(gpus);
    if (index < n)
        *out = gpus[index];
    if (index < n || !must)
        return ST_OK;
    log_error("--device %s: not found: %s", text,
              n > 0 ? "this machine has fewer GPUs" : device_cuda_absence());
    return ST_EDEVICE;
}
