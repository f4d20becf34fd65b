/*
 * fasta_write.c - writes FASTA with 80 bases per line.
 */
#include "io/seq/fasta.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { LINE_BASES = 80 };

static bool write_letters(FILE *file, alphabet_t alphabet, const uint8_t *codes,
                          int64_t len)
{
    char line[LINE_BASES + 1];

    for (int64_t start = 0; start < len; start += LINE_BASES) {
        int64_t n = len - start < LINE_BASES ? len - start : LINE_BASES;

        for (int64_t i = 0; i < n; i++)
            line[i] = alphabet_letter(alphabet, codes[start + i]);
        line[n] = '\n';
        if (fwrite(line, 1, (size_t)n + 1, file) != (size_t)n + 1)
            return false;
    }
    return true;
}

bool fasta_write_sequence(FILE *file, const char *name, int64_t size, const char *text,
                          const seqset_t *set, int64_t i)
{
    const int id_bytes = (int)strcspn(name, " ");

    fprintf(file, ">%.*s", id_bytes, name);
    if (size > 0)
        fprintf(file, ";size=%" PRId64, size);
    fprintf(file, "%s%s%s\n", name + id_bytes, text != NULL ? " " : "",
            text != NULL ? text : "");
    return !ferror(file) &&
           write_letters(file, set->alphabet, seqset_letters(set, i), seqset_len(set, i));
}

status_t fasta_write_set(FILE *file, const seqset_t *set)
{
    for (int64_t i = 0; i < set->n; i++)
        if (!fasta_write_sequence(file, seqset_name(set, i), 0, NULL, set, i))
            goto fail;
    if (fflush(file) == 0)
        return ST_OK;
fail:
    log_error("cannot write the sequences: %s; check the free space", strerror(errno));
    return ST_EIO;
}
