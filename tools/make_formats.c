/*
 * make_formats.c - a program of the build: prints the part of docs/file-format.md that is
 * made from the tables of files.
 *
 * usage: make_formats
 */
#include "io/modelfile/file_kind.h"
#include "io/result/result_kind.h"

int main(void)
{
    result_doc_print_run(stdout);
    for (int k = 0; k < FILE_N_KINDS; k++)
        if (file_kinds[k] != NULL)
            result_doc_print(file_kinds[k], stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}
