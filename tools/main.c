/*
 * main.c - finds the command and runs it.
 */
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"
#include "kernels/device/device.h"
#include "tools/commands.h"
#include "version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void print_version(void)
{
    printf("ribogrid %s\ncommit   %s\ncompiler %s\nCUDA     %s, for %s\nMPI      %s\n"
           "HDF5     %s\nSIMD     %s; this machine: %s\n",
           VERSION_TEXT, VERSION_COMMIT, VERSION_COMPILER, VERSION_CUDA,
           VERSION_CUDA_ARCHITECTURES, transport_mpi_version(), VERSION_HDF5,
           device_simd_built(), device_simd_name(device_cpu().simd));
}

static void print_help(FILE *to)
{
    fprintf(to, "ribogrid: exact all-against-all comparison of 16S rRNA genes\n\n"
                "usage: ribogrid COMMAND ...\n\n");
    for (int i = 0; commands[i] != NULL; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n`ribogrid COMMAND --help` prints the options of a command, `ribogrid "
                "--version` how this\nprogram was built.\n\nexample:\n  ribogrid "
                "simulate 1000 -o reads.fa && ribogrid "
                "align reads.fa -o pairs.h5 && ribogrid view pairs.h5 --id 0.97\n");
}

/* @return the exit code */
static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (strcmp(name, "--version") == 0) {
        print_version();
        return EXIT_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        strcmp(name, "help") == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i]->run(argc - 2, argv + 2);
    if (argc > 1)
        log_error("unknown command '%s'; `ribogrid --help` lists the commands", name);
    else
        print_help(stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int code;

    signal(SIGXFSZ,
           SIG_IGN); /* exceeding a file size limit is then an ordinary write error */
    code = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_OK) {
        log_error("cannot write to stdout; is the disk full?");
        return EXIT_FAILED;
    }
    return code;
}
