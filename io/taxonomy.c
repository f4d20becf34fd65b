#include "io/taxonomy.h"

#include "io/digest.h"
#include "io/gz_input.h"
#include "io/logmsg.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t digest;
    size_t name; /* offset in the texts */
    int32_t parent, rank;
} taxon_t;

typedef struct {
    uint64_t digest;
    size_t name;
    int32_t taxon;
} entry_t;

/* Numbers by digest: open addressing, -1 where empty, never more than half full. */
typedef struct {
    int32_t *slots;
    size_t size;
} index_t;

struct taxonomy {
    buf_t texts, taxa, entries; /* names with their NUL, taxon_t, entry_t */
    index_t taxon_of, entry_of;
    int phylum_rank;
};

static const taxon_t *taxa(const taxonomy_t *t)
{
    return (const taxon_t *)(const void *)t->taxa.data;
}

static const entry_t *entries(const taxonomy_t *t)
{
    return (const entry_t *)(const void *)t->entries.data;
}

static const char *text_at(const taxonomy_t *t, size_t offset)
{
    return (const char *)t->texts.data + offset;
}

int64_t taxonomy_n(const taxonomy_t *t)
{
    return (int64_t)(t->entries.len / sizeof(entry_t));
}

int32_t taxonomy_n_taxa(const taxonomy_t *t)
{
    return (int32_t)(t->taxa.len / sizeof(taxon_t));
}

static size_t first_slot(const index_t *x, uint64_t digest)
{
    return (size_t)(digest ^ digest >> 32) & (x->size - 1);
}

/* Make room for one more. @param digest_of  the digest of number i */
static status_t index_grow(index_t *x, const taxonomy_t *t, int64_t n,
                           uint64_t (*digest_of)(const taxonomy_t *, int32_t))
{
    index_t grown = {NULL, x->size == 0 ? 1024 : 2 * x->size};

    if (2 * ((size_t)n + 1) <= x->size)
        return ST_OK;
    if ((grown.slots = malloc(grown.size * sizeof(*grown.slots))) == NULL)
        return log_nomem("a taxonomy");
    memset(grown.slots, 0xff, grown.size * sizeof(*grown.slots)); /* -1 */
    for (int32_t i = 0; i < n; i++) {
        size_t at = first_slot(&grown, digest_of(t, i));

        while (grown.slots[at] >= 0)
            at = (at + 1) & (grown.size - 1);
        grown.slots[at] = i;
    }
    free(x->slots);
    *x = grown;
    return ST_OK;
}

static uint64_t taxon_digest(const taxonomy_t *t, int32_t i)
{
    return taxa(t)[i].digest;
}

static uint64_t entry_digest(const taxonomy_t *t, int32_t i)
{
    return entries(t)[i].digest;
}

static status_t add_text(taxonomy_t *t, const char *text, size_t len, size_t *offset)
{
    status_t st = buf_reserve(&t->texts, len + 1);

    if (st != ST_OK)
        return st;
    *offset = t->texts.len;
    memcpy(t->texts.data + t->texts.len, text, len);
    t->texts.data[t->texts.len + len] = '\0';
    t->texts.len += len + 1;
    return ST_OK;
}

static bool is_text(const taxonomy_t *t, size_t offset, const char *text, size_t len)
{
    return strncmp(text_at(t, offset), text, len) == 0 && text_at(t, offset)[len] == '\0';
}

/* The parent's child of this name, made if there is none. */
static status_t child_of(taxonomy_t *t, int32_t parent, const char *name, size_t len,
                         int32_t *out)
{
    int32_t n = taxonomy_n_taxa(t);
    taxon_t made = {.parent = parent, .rank = taxa(t)[parent].rank + 1};
    status_t st = index_grow(&t->taxon_of, t, n, taxon_digest);
    size_t at;

    if (st != ST_OK)
        return st;
    made.digest = digest_add(taxa(t)[parent].digest, ";", 1);
    made.digest = digest_add(made.digest, name, len);
    for (at = first_slot(&t->taxon_of, made.digest); t->taxon_of.slots[at] >= 0;
         at = (at + 1) & (t->taxon_of.size - 1)) {
        const taxon_t *other = &taxa(t)[t->taxon_of.slots[at]];

        if (other->parent == parent && is_text(t, other->name, name, len)) {
            *out = t->taxon_of.slots[at];
            return ST_OK;
        }
    }
    if ((st = add_text(t, name, len, &made.name)) != ST_OK ||
        (st = buf_append(&t->taxa, &made, sizeof(made))) != ST_OK)
        return st;
    t->taxon_of.slots[at] = *out = n;
    return ST_OK;
}

/* @return the slot of the name, or the empty one where it belongs */
static size_t entry_slot(const taxonomy_t *t, uint64_t digest, const char *name)
{
    const index_t *x = &t->entry_of;
    size_t at = first_slot(x, digest);

    while (x->slots[at] >= 0 &&
           strcmp(text_at(t, entries(t)[x->slots[at]].name), name) != 0)
        at = (at + 1) & (x->size - 1);
    return at;
}

int32_t taxonomy_find(const taxonomy_t *t, const char *name)
{
    uint64_t digest = digest_add(DIGEST_START, name, strlen(name));
    int32_t i =
        t->entry_of.size == 0 ? -1 : t->entry_of.slots[entry_slot(t, digest, name)];

    return i < 0 ? -1 : entries(t)[i].taxon;
}

static status_t bad_line(const gz_input_t *in, const char *what)
{
    log_error("%s, line %" PRId64 ": %s; give name TAB lineage, as "
              "\"AJ000684\tBacteria;Actinobacteria\"",
              gz_input_shown(in), gz_input_line_number(in), what);
    return ST_EINPUT;
}

static status_t add_entry(taxonomy_t *t, const gz_input_t *in, const char *name,
                          int32_t taxon)
{
    entry_t e = {digest_add(DIGEST_START, name, strlen(name)), 0, taxon};
    int32_t n = (int32_t)taxonomy_n(t);
    status_t st = index_grow(&t->entry_of, t, n, entry_digest);
    size_t at;

    if (st != ST_OK)
        return st;
    at = entry_slot(t, e.digest, name);
    if (t->entry_of.slots[at] >= 0)
        return entries(t)[t->entry_of.slots[at]].taxon == taxon
                   ? ST_OK
                   : bad_line(in, "a name that had another lineage before");
    if ((st = add_text(t, name, strlen(name), &e.name)) != ST_OK ||
        (st = buf_append(&t->entries, &e, sizeof(e))) != ST_OK)
        return st;
    t->entry_of.slots[at] = n;
    return ST_OK;
}

/* The length of a name without its support, "(97)" or "(97.5)". */
static size_t without_support(const char *name, size_t len)
{
    size_t at = len;

    if (len < 3 || name[len - 1] != ')')
        return len;
    for (at--; at > 0 && strchr("0123456789.", name[at - 1]) != NULL; at--)
        continue;
    return at > 1 && at < len - 1 && name[at - 1] == '(' ? at - 1 : len;
}

/* The lineage's lowest taxon. */
static status_t add_lineage(taxonomy_t *t, const gz_input_t *in, char *lineage,
                            int32_t *out)
{
    size_t len = strlen(lineage);
    bool is_mothur;
    int32_t taxon = TAXONOMY_ROOT;
    status_t st;

    while (len > 0 && lineage[len - 1] == ' ')
        lineage[--len] = '\0';
    is_mothur = len > 0 && lineage[len - 1] == ';';
    if (is_mothur)
        lineage[--len] = '\0';
    for (char *at = lineage;; at++) {
        size_t name_len;

        at += strspn(at, " ");
        name_len = strcspn(at, ";");
        for (len = name_len; len > 0 && at[len - 1] == ' ';)
            len--;
        if (is_mothur)
            len = without_support(at, len);
        if (len == 0)
            return bad_line(in, "a rank without a name");
        if ((st = child_of(t, taxon, at, len, &taxon)) != ST_OK)
            return st;
        at += name_len;
        if (*at == '\0')
            break;
    }
    *out = taxon;
    return ST_OK;
}

static bool is_header(const char *line)
{
    return strncmp(line, "Feature ID\tTaxon", 16) == 0;
}

/* @param more_columns  whether others may follow the lineage */
static status_t add_line(taxonomy_t *t, const gz_input_t *in, char *line,
                         bool more_columns)
{
    char *tab = strchr(line, '\t'), *next;
    int32_t taxon;
    status_t st;

    if (tab == NULL)
        return bad_line(in, "no tab");
    *tab++ = '\0';
    if ((next = strchr(tab, '\t')) != NULL && !more_columns)
        return bad_line(in, "more than two columns");
    if (next != NULL)
        *next = '\0';
    if (*line == '\0')
        return bad_line(in, "no name");
    if (*tab == '\0')
        return bad_line(in, "no lineage");
    if ((st = add_lineage(t, in, tab, &taxon)) != ST_OK)
        return st;
    return add_entry(t, in, line, taxon);
}

static status_t read_lines(taxonomy_t *t, gz_input_t *in)
{
    buf_t line = {0};
    bool is_end = false, is_qiime2 = false;
    status_t st;

    while ((st = gz_input_line(in, &line, &is_end)) == ST_OK && !is_end) {
        char *text = (char *)line.data;

        if (line.len == 0)
            continue;
        if (taxonomy_n(t) == 0 && is_header(text))
            is_qiime2 = true;
        else if (!(is_qiime2 && strncmp(text, "#q2:types", 9) == 0) &&
                 (st = add_line(t, in, text, is_qiime2)) != ST_OK)
            break;
    }
    buf_free(&line);
    if (st == ST_OK && taxonomy_n(t) == 0) {
        log_error("%s: it holds no lineage; give lines of name TAB lineage",
                  gz_input_shown(in));
        st = ST_EINPUT;
    }
    return st;
}

/* Some tables name the root, too: then each taxon stands one rank lower. */
static int find_phylum_rank(const taxonomy_t *t)
{
    for (int32_t i = 1; i < taxonomy_n_taxa(t); i++)
        if (taxa(t)[i].rank == 1 && strcmp(taxonomy_name(t, i), "Root") != 0)
            return 2;
    return 3;
}

status_t taxonomy_read(const char *path, taxonomy_t **out)
{
    taxon_t root = {.digest = DIGEST_START, .parent = -1};
    gz_input_t *in = NULL;
    taxonomy_t *t = calloc(1, sizeof(*t));
    status_t st = t != NULL ? ST_OK : log_nomem("a taxonomy");

    if (st == ST_OK)
        st = add_text(t, "", 0, &root.name);
    if (st == ST_OK)
        st = buf_append(&t->taxa, &root, sizeof(root));
    if (st == ST_OK)
        st = gz_input_open(path, &in);
    if (st == ST_OK)
        st = read_lines(t, in);
    gz_input_close(in);
    if (st != ST_OK) {
        taxonomy_destroy(t);
        return st;
    }
    t->phylum_rank = find_phylum_rank(t);
    *out = t;
    return ST_OK;
}

void taxonomy_destroy(taxonomy_t *t)
{
    if (t == NULL)
        return;
    buf_free(&t->texts);
    buf_free(&t->taxa);
    buf_free(&t->entries);
    free(t->taxon_of.slots);
    free(t->entry_of.slots);
    free(t);
}

const char *taxonomy_name(const taxonomy_t *t, int32_t taxon)
{
    return text_at(t, taxa(t)[taxon].name);
}

int taxonomy_rank(const taxonomy_t *t, int32_t taxon)
{
    return taxa(t)[taxon].rank;
}

int32_t taxonomy_ancestor(const taxonomy_t *t, int32_t taxon, int rank)
{
    if (taxa(t)[taxon].rank < rank)
        return -1;
    while (taxa(t)[taxon].rank > rank)
        taxon = taxa(t)[taxon].parent;
    return taxon;
}

int taxonomy_phylum_rank(const taxonomy_t *t)
{
    return t->phylum_rank;
}

status_t taxonomy_append(const taxonomy_t *t, int32_t taxon, const char *between,
                         buf_t *out)
{
    status_t st = ST_OK;

    for (int rank = 1; st == ST_OK && rank <= taxonomy_rank(t, taxon); rank++)
        st = buf_printf(out, "%s%s", rank > 1 ? between : "",
                        taxonomy_name(t, taxonomy_ancestor(t, taxon, rank)));
    return st;
}
