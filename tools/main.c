/*
 * main.c - the program `ribogrid`.
 */
#include "tools/options/commands.h"
#include "tools/options/program.h"

int main(int argc, char **argv)
{
    const program_t program = {
        .name = "ribogrid",
        .summary = "exact all-against-all comparison of 16S rRNA genes",
        .example = "ribogrid simulate 1000 -o reads.fa && ribogrid align reads.fa -o "
                   "pairs.h5 && ribogrid view pairs.h5 --id 0.97",
        .commands = commands,
        .moved = "bench",
    };

    return program_run(&program, argc, argv);
}
