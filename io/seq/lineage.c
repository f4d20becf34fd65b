/*
 * lineage.c - recognises lineages and splits them into names.
 */
#include "io/seq/taxonomy.h"

#include <string.h>

static const char sintax_key[] = ";tax=", rdp_key[] = "Lineage=", blanks[] = " \t";

static lineage_t begin(lineage_form_t form, char *text)
{
    size_t len = strlen(text);
    lineage_t l = {.form = form, .at = text};

    while (len > 0 && strchr(blanks, text[len - 1]) != NULL)
        len--;
    if (len > 0 && text[len - 1] == ';') {
        len--;
        l.has_supports = form == LINEAGE_TABLE;
    }
    text[len] = '\0';
    return l;
}

/* Begin with the lineage of a header, without the root. */
static lineage_t begin_header(lineage_form_t form, char *text)
{
    static const char root[] = "Root;", root_rank[] = "rootrank;";

    if (strncmp(text, root, strlen(root)) == 0)
        text += strlen(root);
    if (form == LINEAGE_RDP && strncmp(text, root_rank, strlen(root_rank)) == 0)
        text += strlen(root_rank);
    return begin(form, text);
}

lineage_t lineage_of_table(char *text)
{
    return begin(LINEAGE_TABLE, text);
}

/* @return whether a name is ACCESSION.START.STOP */
static bool is_of_silva(const char *name)
{
    size_t len = strlen(name);

    for (int k = 0; k < 2; k++) {
        size_t end = len;

        while (len > 0 && strchr("0123456789", name[len - 1]) != NULL)
            len--;
        if (len == end || len < 2 || name[--len] != '.')
            return false;
    }
    return true;
}

/* @return whether text after the name is a lineage: other texts have a blank before the
 *         first ';', if they have one */
static bool is_lineage(const char *text)
{
    const size_t len = strcspn(text, ";");

    return len > 0 && text[len] == ';' && strcspn(text, blanks) > len;
}

bool lineage_of_header(char *header, lineage_t *out)
{
    const size_t name_len = strcspn(header, blanks);
    char *rest = header + name_len, *found;

    if ((found = strstr(header, sintax_key)) != NULL && found < rest) {
        *found = '\0';
        found += strlen(sintax_key);
        found[strcspn(found, ";")] = '\0';
        *out = begin_header(LINEAGE_SINTAX, found);
        return true;
    }
    if (*rest == '\0')
        return false;
    *rest++ = '\0';
    rest += strspn(rest, blanks);
    for (found = rest; (found = strstr(found, rdp_key)) != NULL; found++)
        if (found == rest || strchr(blanks, found[-1]) != NULL) {
            *out = begin_header(LINEAGE_RDP, found + strlen(rdp_key));
            return true;
        }
    if (!is_lineage(rest))
        return false;
    *out = begin_header(is_of_silva(header) ? LINEAGE_SILVA : LINEAGE_HEADER, rest);
    return true;
}

size_t lineage_name_len(const char *name)
{
    const char *found = strstr(name, sintax_key);

    return found != NULL ? (size_t)(found - name) : strlen(name);
}

/* A piece of text. */
typedef struct {
    const char *at;
    size_t len;
} piece_t;

static bool starts_with(piece_t p, const char *text)
{
    return p.len >= strlen(text) && memcmp(p.at, text, strlen(text)) == 0;
}

/* @return the next piece without blanks at its ends */
static piece_t take(lineage_t *l)
{
    char *at = l->at + strspn(l->at, blanks);
    size_t len = strcspn(at, l->form == LINEAGE_SINTAX ? "," : ";");

    l->at = at[len] == '\0' ? NULL : at + len + 1;
    while (len > 0 && strchr(blanks, at[len - 1]) != NULL)
        len--;
    return (piece_t){at, len};
}

/* @return the length of a name without its support, "(97)" or "(97.5)" */
static size_t without_support(piece_t p)
{
    size_t at = p.len;

    if (p.len < 3 || p.at[p.len - 1] != ')')
        return p.len;
    for (at--; at > 0 && strchr("0123456789.", p.at[at - 1]) != NULL; at--)
        continue;
    return at > 1 && at < p.len - 1 && p.at[at - 1] == '(' ? at - 1 : p.len;
}

static piece_t without_quotes(piece_t p)
{
    return p.len > 2 && p.at[0] == '"' && p.at[p.len - 1] == '"'
               ? (piece_t){p.at + 1, p.len - 2}
               : p;
}

/* @return whether a name is only the prefix of its rank: "g__" or "__" */
static bool is_prefix(piece_t p)
{
    return p.len >= 2 && p.len <= 3 && memcmp(p.at + p.len - 2, "__", 2) == 0;
}

/* Get the next name. @return false: the lineage ends before it */
static bool next(lineage_t *l, piece_t *out)
{
    const piece_t p = take(l), bare = without_quotes(p);

    *out = l->form == LINEAGE_TABLE ? p : bare;
    switch (l->form) {
    case LINEAGE_TABLE:
        if (l->has_supports)
            out->len = without_support(p);
        break;
    case LINEAGE_SINTAX:
        if (bare.len > 1 && bare.at[1] == ':')
            *out = without_quotes((piece_t){bare.at + 2, bare.len - 2});
        return out->len > 0 || bare.len == 0;
    case LINEAGE_SILVA: /* the last piece is the organism */
        return l->at != NULL;
    case LINEAGE_RDP:
        if (l->at == NULL) /* no rank follows */
            return !starts_with(bare, "unclassified");
        take(l);
        break;
    default:
        break;
    }
    return !is_prefix(*out);
}

bool lineage_next(lineage_t *l, const char **name, size_t *len)
{
    piece_t p;

    if (l->at == NULL)
        return false;
    if (!next(l, &p)) {
        l->at = NULL;
        return false;
    }
    *name = p.at;
    *len = p.len;
    return true;
}
