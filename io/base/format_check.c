/*
 * format_check.c - magic numbers of common formats, and the commands that convert them.
 */
#include "io/base/format_check.h"

#include "io/base/logmsg.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Bytes searched for a NUL, which marks binary data. */
enum { NUL_SEARCH_BYTES = 4096 };

typedef struct {
    size_t at; /* offset of the magic number */
    const char *magic;
    const char *name;
    const char *before, *after; /* the command around the file name; NULL: none */
} format_t;

static const format_t formats[] = {
    {0, "\x1f\x8b", "gzip data compressed twice", "gzip -dc ", " > once.fa.gz"},
    {0, "\x1f\x9d", "compress (.Z) data", "gzip -d ", ""},
    {0, "\x28\xb5\x2f\xfd", "zstd data", "zstd -d ", ""},
    {0, "BZh", "bzip2 data", "bunzip2 -k ", ""},
    {0, "\xfd\x37zXZ", "xz data", "xz -dk ", ""},
    {0, "PK\x03\x04", "a zip archive", "unzip ",
     "' or, for a QIIME 2 artifact (.qza), 'qiime tools export --output-path exported "
     "--input-path FILE"},
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file", NULL, NULL},
    {0, "BAM\x01", "BAM", "samtools fasta ", " > sequences.fa"},
    {0, "CRAM", "CRAM", "samtools fasta ", " > sequences.fa"},
    {0, "\xff\xfe", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 ", " > sequences.fa"},
    {0, "\xfe\xff", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 ", " > sequences.fa"},
};

/* Its magic number consists of nucleotide letters, so it is valid only in binary data. */
static const format_t tar = {257, "ustar", "a tar archive", "tar -xvf ", ""};

/* Compared with the first text after a byte order mark and blank lines. */
static const format_t text_formats[] = {
    {0, "@HD\t", "SAM", "samtools fasta ", " > sequences.fa"},
    {0, "@SQ\t", "SAM", "samtools fasta ", " > sequences.fa"},
    {0, "@RG\t", "SAM", "samtools fasta ", " > sequences.fa"},
    {0, "@PG\t", "SAM", "samtools fasta ", " > sequences.fa"},
    {0, "@CO\t", "SAM", "samtools fasta ", " > sequences.fa"},
    {0, "LOCUS ", "GenBank", "any2fasta ", " > sequences.fa"},
    {0, "# STOCKHOLM", "Stockholm", "esl-reformat fasta ", " > sequences.fa"},
    {0, "<", "a web page or XML", NULL, NULL},
};

static bool is_format(const format_t *f, const unsigned char *data, size_t len)
{
    size_t magic_len = strlen(f->magic);

    return len >= f->at + magic_len && memcmp(data + f->at, f->magic, magic_len) == 0;
}

static const format_t *find_format(const unsigned char *data, size_t len, bool is_binary)
{
    size_t start = format_check_bom(data, len);

    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (is_format(&formats[i], data, len))
            return &formats[i];
    if (is_binary && is_format(&tar, data, len))
        return &tar;
    while (start < len && isspace(data[start]))
        start++;
    for (size_t i = 0; i < sizeof(text_formats) / sizeof(*text_formats); i++)
        if (is_format(&text_formats[i], data + start, len - start))
            return &text_formats[i];
    return NULL;
}

size_t format_check_bom(const unsigned char *data, size_t len)
{
    return len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool format_check_is_fastq(const unsigned char *data, size_t len)
{
    size_t start = format_check_bom(data, len);

    while (start < len && isspace(data[start]))
        start++;
    return start < len && data[start] == '@' && find_format(data, len, false) == NULL;
}

status_t format_check(const char *path, const unsigned char *data, size_t len)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *shown = is_stdin ? "stdin" : path;
    bool is_binary =
        memchr(data, '\0', len < NUL_SEARCH_BYTES ? len : NUL_SEARCH_BYTES) != NULL;
    const format_t *f = find_format(data, len, is_binary);

    if (f == NULL && !is_binary)
        return ST_OK;
    if (f == NULL)
        log_error("%s: this is binary data, not FASTA; give a FASTA text file, plain or "
                  "compressed with gzip",
                  shown);
    else if (f->before == NULL)
        log_error("%s: this is %s, not FASTA; give the FASTA file itself", shown,
                  f->name);
    else
        log_error("%s: this is %s, not FASTA; use '%s%s%s'", shown, f->name, f->before,
                  is_stdin ? "FILE" : path, f->after);
    return ST_EINPUT;
}
