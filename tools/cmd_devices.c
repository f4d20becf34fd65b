/*
 * cmd_devices.c - `ribogrid devices`: lists the devices of this machine and their
 * kernels.
 */
#include "io/base/byte_size.h"
#include "kernels/registry/backends.h"
#include "tools/options/commands.h"
#include "worker/program/program_opts.h"

#include <inttypes.h>
#include <stdio.h>

static const option_t options[] = {{.kind = OPTION_END}};

/* @return whether a row is a kernel of the device: of an aligner, one that takes 16S
 * pairs with default scores, for any output and ends */
static bool is_of(const backend_table_t *table, const backend_t *row,
                  const device_t *device)
{
    if (row->kind != device->kind || table != &aligner_table)
        return row->kind == device->kind;
    for (int way = 0; way < 6; way++) {
        align_spec_t spec = {.emit = (align_emit_t)(way % 3),
                             .ends = (align_ends_t)(way / 3)};
        align_context_t context = {.device = device, .spec = &spec};

        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
        if (aligner_backend_takes(aligner_backend(row), &context, 1500, 1500))
            return true;
    }
    return false;
}

static void print_table(const backend_table_t *table, const device_t *device)
{
    if (table == &aligner_table)
        printf("\tkernels");
    else
        printf("\t%s kernels", table->name);
    for (const backend_t *const *row = table->rows; *row != NULL; row++)
        if (is_of(table, *row, device))
            printf(" %s", (*row)->name);
}

/* Print the names of the backends that run on a device. */
static void print_kernels(const device_t *device)
{
    for (const backend_table_t *const *t = backend_tables; *t != NULL; t++)
        print_table(*t, device);
    print_table(&program_table, device);
    printf("\n");
}

static status_t run(void *args)
{
    device_t cpu = device_cpu(), gpus[DEVICES_MAX];
    char size[BYTE_SIZE_TEXT_BYTES];
    int n_gpus;

    (void)args;
    n_gpus = device_list_cuda(gpus);
    printf("cpu\t%s\t%d threads\t%s\tSIMD %s", cpu.name, cpu.n_cores,
           byte_size_text((double)cpu.memory_bytes, size), device_simd_name(cpu.simd));
    print_kernels(&cpu);
    for (int i = 0; i < n_gpus; i++) {
        printf("cuda:%d\t%s\t%d multiprocessors\t%s\tcompute %d.%d %s", gpus[i].index,
               gpus[i].name, gpus[i].n_cores,
               byte_size_text((double)gpus[i].memory_bytes, size),
               gpus[i].capability / 10, gpus[i].capability % 10, gpus[i].uuid);
        print_kernels(&gpus[i]);
    }
    if (n_gpus == 0)
        printf("cuda\tnone: %s\n", device_cuda_absence());
    return ST_OK;
}

const command_t cmd_devices = {
    .name = "devices",
    .summary = "list the devices of this machine and their kernels",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(job_opts_t),
    .notes = NULL,
    .example = "ribogrid devices",
    .on_all_ranks = true,
    .run = run,
};
