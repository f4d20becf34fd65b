/*
 * rg_set.c - sets of sequences, from memory and from files.
 */
#include "library/rg_set.h"

#include "io/base/utf8.h"
#include "io/seq/fasta.h"
#include "library/rg_context.h"
#include "library/rg_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letters that an alphabet is guessed from. */
enum { GUESS_BYTES = 1 << 18, LETTERS = 256 };

status_t rg_set_wrap(seqset_t *sequences, rg_set_t **out)
{
    rg_set_t *set = calloc(1, sizeof(*set));

    if (set == NULL) {
        seqset_destroy(sequences);
        return log_nomem("a set");
    }
    atomic_store(&set->n_owners, 1);
    set->sequences = sequences;
    *out = set;
    return ST_OK;
}

rg_set_t *rg_set_share(const rg_set_t *set)
{
    rg_set_t *shared = (rg_set_t *)(uintptr_t)set;

    atomic_fetch_add(&shared->n_owners, 1);
    return shared;
}

void rg_set_destroy(rg_set_t *set)
{
    if (set == NULL || atomic_fetch_sub(&set->n_owners, 1) > 1)
        return;
    seqset_destroy(set->sequences);
    free(set);
}

status_t rg_set_check_letters(const rg_set_t *set)
{
    if (!set->lacks_letters)
        return ST_OK;
    log_error("the letters of references are not in a result file; read them from FASTA");
    return ST_EUSAGE;
}

static status_t take_alphabet(const char *word, alphabet_t *out)
{
    int index = ALPHABET_AUTO;
    status_t st = ST_OK;

    if (word != NULL)
        st = rg_word_find("alphabet", word, alphabet_name, 2, &index);
    *out = (alphabet_t)index;
    return st;
}

/* ---- from memory ---- */

status_t rg_set_check_offsets(const rg_letters_t *g)
{
    if (g->n < 0 || g->n > INT32_MAX || (g->n > 0 && g->letters == NULL) ||
        g->offsets == NULL) {
        log_error("a set has letters and offsets, of 0 to 2147483647 sequences");
        return ST_EUSAGE;
    }
    if (g->offsets[0] < 0) {
        log_error("offsets begin with %" PRId64 "; give 0 or more", g->offsets[0]);
        return ST_EUSAGE;
    }
    for (int64_t i = 0; i < g->n; i++)
        if (g->offsets[i + 1] <= g->offsets[i]) {
            log_error("sequence %" PRId64 " has no letters: offsets have to ascend", i);
            return ST_EUSAGE;
        }
    return ST_OK;
}

static alphabet_t guess(const rg_letters_t *g)
{
    const int64_t first = g->offsets[0], end = g->offsets[g->n];
    const int64_t n = end - first < GUESS_BYTES ? end - first : GUESS_BYTES;
    size_t n_protein = 0;

    for (int64_t i = first; i < first + n; i++)
        n_protein += alphabet_is_protein_only((unsigned char)g->letters[i]);
    return alphabet_looks_like_protein(n_protein, (size_t)n) ? ALPHABET_PROTEIN
                                                             : ALPHABET_DNA;
}

/* Translate letters to codes. */
static status_t encode(const rg_letters_t *g, seqset_t *set)
{
    uint8_t code[LETTERS];
    uint8_t *to = set->letters;

    for (int letter = 0; letter < LETTERS; letter++)
        code[letter] = alphabet_code(set->alphabet, (unsigned char)letter);
    for (int64_t i = 0; i < g->n; i++) {
        set->offset[i] = to - set->letters;
        for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++) {
            const unsigned char letter = (unsigned char)g->letters[k];

            if ((*to++ = code[letter]) != CODE_NONE)
                continue;
            log_error("sequence %" PRId64 ", letter %" PRId64
                      ": '%c' (byte %d) is not %s; correct it, or give alphabet",
                      i, k - g->offsets[i], letter > ' ' && letter < 0x7f ? letter : '?',
                      letter, alphabet_a_letter[set->alphabet]);
            return ST_EINPUT;
        }
    }
    set->offset[g->n] = to - set->letters;
    return ST_OK;
}

/* @return the bytes of all names, with their NULs; -1 (logged): one is too long */
static int64_t names_bytes(const rg_letters_t *g)
{
    const char *at = g->names;
    int64_t bytes = 0;

    for (int64_t i = 0; i < g->n; i++) {
        const int64_t len =
            at != NULL ? (int64_t)strlen(at) : snprintf(NULL, 0, "%" PRId64, i);

        if (len > FASTA_NAME_BYTES) {
            log_error("sequence %" PRId64 " has a name of %" PRId64
                      " bytes; give at most %d",
                      i, len, FASTA_NAME_BYTES);
            return -1;
        }
        bytes += len + 1;
        at = at != NULL ? at + len + 1 : NULL;
    }
    return bytes;
}

static void put_names(const rg_letters_t *g, seqset_t *set)
{
    char *to = set->names;
    const char *from = g->names;

    for (int64_t i = 0; i < g->n; i++) {
        set->name_offset[i] = to - set->names;
        if (from != NULL) {
            const size_t bytes = strlen(from) + 1;

            memcpy(to, from, bytes);
            to += bytes;
            from += bytes;
        } else {
            to += sprintf(to, "%" PRId64, i) + 1;
        }
    }
    set->name_offset[g->n] = to - set->names;
}

status_t rg_set_make(const rg_letters_t *g, const char *alphabet, rg_set_t **out)
{
    seqset_t *set = NULL;
    alphabet_t kind;
    int64_t bytes;
    status_t st;

    if ((st = take_alphabet(alphabet, &kind)) != ST_OK ||
        (st = rg_set_check_offsets(g)) != ST_OK)
        return st;
    if ((bytes = names_bytes(g)) < 0)
        return ST_EINPUT;
    if ((st = seqset_create(g->n, g->offsets[g->n] - g->offsets[0], bytes, &set)) !=
        ST_OK)
        return st;
    set->alphabet = kind == ALPHABET_AUTO ? guess(g) : kind;
    if ((st = encode(g, set)) != ST_OK) {
        seqset_destroy(set);
        return st;
    }
    put_names(g, set);
    return rg_set_wrap(set, out);
}

rg_status_t rg_set_create(rg_context_t *context, const char *alphabet, int64_t n,
                          const char *letters, const int64_t *offsets, const char *names,
                          rg_set_t **out)
{
    const rg_letters_t given = {n, letters, offsets, names};
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);

    if (status != RG_OK)
        return status;
    return rg_context_leave(context, before,
                            out != NULL ? rg_set_make(&given, alphabet, out) : ST_EUSAGE);
}

/* ---- from files ---- */

void rg_read_options_init(rg_read_options_t *options, size_t size)
{
    const rg_read_options_t defaults = {.size = size};

    if (options != NULL)
        memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

static status_t read_file(rg_context_t *context, const char *path,
                          const rg_read_options_t *given, rg_set_t **out)
{
    seq_files_t files = {0};
    rg_read_options_t o;
    fasta_opts_t opts = {0};
    seqset_t *set = NULL;
    status_t st;

    rg_read_options_init(&o, sizeof(o));
    if ((st = rg_options_take(given, &o, sizeof(o))) != ST_OK ||
        (st = take_alphabet(o.alphabet, &opts.alphabet)) != ST_OK)
        return st;
    opts.skip_bad = o.skip_bad != 0;
    opts.degap = o.degap != 0;
    opts.full_names = o.full_names != 0;
    st = seq_files_list(&(seq_inputs_t){.paths = &path, .n = 1}, &files);
    if (st == ST_OK)
        st = fasta_read_files(&files, &opts, context->pool, NULL, &set);
    seq_files_free(&files);
    return st == ST_OK ? rg_set_wrap(set, out) : st;
}

rg_status_t rg_set_read(rg_context_t *context, const char *path,
                        const rg_read_options_t *options, rg_set_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (path != NULL && out != NULL)
        st = read_file(context, path, options, out);
    return rg_context_leave(context, before, st);
}

/* ---- reading a set ---- */

static bool has(const rg_set_t *set, int64_t index)
{
    return set != NULL && index >= 0 && index < set->sequences->n;
}

int64_t rg_set_count(const rg_set_t *set)
{
    return set != NULL ? set->sequences->n : 0;
}

const char *rg_set_alphabet(const rg_set_t *set)
{
    return set != NULL ? alphabet_name[set->sequences->alphabet] : "";
}

int64_t rg_set_length(const rg_set_t *set, int64_t index)
{
    return has(set, index) ? seqset_len(set->sequences, index) : -1;
}

const char *rg_set_name(const rg_set_t *set, int64_t index)
{
    return has(set, index) ? seqset_name(set->sequences, index) : NULL;
}

rg_status_t rg_set_letters(const rg_set_t *set, int64_t index, char *out)
{
    if (!has(set, index) || out == NULL || set->lacks_letters)
        return RG_EINVAL;
    for (int64_t k = 0; k < seqset_len(set->sequences, index); k++)
        out[k] = alphabet_letter(set->sequences->alphabet,
                                 seqset_letters(set->sequences, index)[k]);
    return RG_OK;
}
