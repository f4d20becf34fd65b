/*
 * one_device.h - the device that --device names, for commands that compute on one.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_ONE_DEVICE_H
#define RIBOGRID_TOOLS_OPTIONS_ONE_DEVICE_H

#include "kernels/device/device.h"
#include "tools/options/options.h"

/*
 * Find a device.
 *
 * @param command  whose --device it is
 * @param text     "auto" (the first GPU, else the CPU), "cpu", "cuda" or "cuda:I"
 * @return ST_OK, ST_EUSAGE or ST_EDEVICE (there is no such GPU)
 */
status_t one_device_find(const command_t *command, const char *text,
                         device_t *out) MUST_CHECK;

#endif
