/*
 * rg_parser.c - the current token, errors, and names with the blocks in which they
 * can be seen.
 */
#include "graph/program/rg_parser.h"

#include "io/base/near_word.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 256 };

void *parser_refuse(rg_parser_t *p, rg_at_t at, const char *fmt, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    if (p->st != ST_OK)
        return NULL;
    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    p->st = rg_refuse(p->program, at, "%s", message);
    p->token = (rg_token_t){.kind = TOKEN_END, .at = at, .text = ""};
    return NULL;
}

void *parser_alloc(rg_parser_t *p, size_t bytes)
{
    void *memory = p->st == ST_OK ? rg_alloc(p->program, bytes) : NULL;

    if (memory == NULL) {
        p->st = p->st == ST_OK ? ST_ENOMEM : p->st;
        p->token.kind = TOKEN_END;
    }
    return memory;
}

void parser_advance(rg_parser_t *p)
{
    if (p->st != ST_OK)
        return;
    p->token = rg_lexer_next(&p->lexer);
    if (p->token.kind == TOKEN_WRONG)
        parser_refuse(p, p->token.at, "%s", p->token.wrong);
}

static bool is_text(const rg_token_t *t, const char *text)
{
    return (t->kind == TOKEN_NAME || t->kind == TOKEN_SIGN) && strlen(text) == t->len &&
           memcmp(text, t->text, t->len) == 0;
}

bool parser_is(const rg_parser_t *p, const char *text)
{
    return p->st == ST_OK && is_text(&p->token, text);
}

bool parser_next_is(const rg_parser_t *p, const char *text)
{
    rg_lexer_t l = p->lexer;
    const rg_token_t t = rg_lexer_next(&l);

    return is_text(&t, text);
}

bool parser_take(rg_parser_t *p, const char *text)
{
    if (!parser_is(p, text))
        return false;
    parser_advance(p);
    return true;
}

void parser_expect(rg_parser_t *p, const char *text, const char *after)
{
    if (parser_take(p, text))
        return;
    if (p->token.kind == TOKEN_END)
        parser_refuse(p, p->token.at, "the program ends within %s; '%s' must follow",
                      after, text);
    else
        parser_refuse(p, p->token.at, "'%.*s' in %s; write '%s' before it",
                      (int)(p->token.len < RG_NAME_BYTES ? p->token.len : RG_NAME_BYTES),
                      p->token.text, after, text);
}

bool parser_enter(rg_parser_t *p)
{
    if (++p->depth <= RG_DEPTH_MAX)
        return true;
    parser_refuse(p, p->token.at,
                  "blocks and expressions are nested more than %d deep; use variables",
                  RG_DEPTH_MAX);
    return false;
}

void parser_leave(rg_parser_t *p)
{
    p->depth--;
}

/* Words that no name may be. */
static const char *const keywords[] = {
    "param",    "output",    "attribute", "int",    "real",      "bool",    "node",
    "edge",     "set",       "multiset",  "oset",   "queue",     "if",      "else",
    "for",      "while",     "in",        "where",  "swap",      "nodes",   "none",
    "min",      "max",       "true",      "false",  "abs",       "sqrt",    "arc",
    "sum",      "count",     "any",       "all",    "inBFS",     "barrier", "critical",
    "scan",     "new",       "delete",    "commit", "rebalance", "sort",    "foreach",
    "infinity", "omultiset", NULL};

rg_symbol_t *parser_look_up(const rg_parser_t *p)
{
    for (int i = p->n_scope - 1; i >= 0; i--)
        if (parser_is(p, p->scope[i]->name))
            return p->scope[i];
    return NULL;
}

rg_symbol_t *parser_find(rg_parser_t *p)
{
    rg_symbol_t *found = p->token.kind == TOKEN_NAME ? parser_look_up(p) : NULL;
    const rg_token_t t = p->token;
    near_word_t near = near_word_begin(t.text, t.len < NEAR_WORD_LEN_MAX ? t.len : 0);
    char guess[NEAR_WORD_BYTES];

    if (found != NULL) {
        parser_advance(p);
        return found;
    }
    if (t.kind == TOKEN_END)
        return parser_refuse(p, t.at, "the program ends here; a name must follow");
    if (t.kind != TOKEN_NAME)
        return parser_refuse(p, t.at,
                             "'%.*s' stands where a value is needed; write a "
                             "name or a number before it",
                             (int)t.len, t.text);
    for (int i = 0; i < p->n_scope; i++)
        near_word_try(&near, p->scope[i]->name);
    for (int i = 0; keywords[i] != NULL; i++)
        near_word_try(&near, keywords[i]);
    return parser_refuse(p, t.at, "'%.*s' is not declared%s",
                         (int)(t.len < RG_NAME_BYTES ? t.len : RG_NAME_BYTES), t.text,
                         near.best != NULL ? near_word_text(&near, "", guess)
                                           : "; declare it before it is used");
}

/* @return whether the current token can be declared */
static bool check_new_name(rg_parser_t *p)
{
    const rg_token_t *t = &p->token;
    const rg_symbol_t *earlier = parser_look_up(p);

    if (t->kind != TOKEN_NAME)
        parser_refuse(p, t->at, "a declaration lacks its name; write one here");
    else if (t->len >= RG_NAME_BYTES)
        parser_refuse(p, t->at, "this name is too long; use at most %d characters",
                      RG_NAME_BYTES - 1);
    else if (earlier != NULL)
        parser_refuse(p, t->at,
                      "'%s' is declared in line %d already; choose another "
                      "name",
                      earlier->name, earlier->at.line);
    else if (p->n_scope == RG_SCOPE_MAX)
        parser_refuse(p, t->at, "there are more than %d names; use fewer", RG_SCOPE_MAX);
    for (int i = 0; p->st == ST_OK && keywords[i] != NULL; i++)
        if (parser_is(p, keywords[i]))
            parser_refuse(p, t->at, "'%s' is a word of the language; choose another name",
                          keywords[i]);
    return p->st == ST_OK;
}

static int take_slot(rg_program_t *program, rg_symbol_kind_t kind)
{
    switch (kind) {
    case SYMBOL_ATTRIBUTE:
        return program->n_attributes++;
    case SYMBOL_SET:
        return program->n_sets++;
    default:
        return program->n_values++;
    }
}

rg_symbol_t *parser_hidden(rg_parser_t *p, rg_symbol_kind_t kind, rg_type_t type,
                           const char *name)
{
    rg_symbol_t *s = parser_alloc(p, sizeof(*s));

    if (s == NULL)
        return NULL;
    strcpy(s->name, name);
    s->kind = kind;
    s->type = type;
    s->at = p->token.at;
    s->loop = p->loop;
    s->slot = take_slot(p->program, kind);
    *p->last = s;
    p->last = &s->next;
    return s;
}

rg_symbol_t *parser_declare(rg_parser_t *p, rg_symbol_kind_t kind, rg_type_t type)
{
    char name[RG_NAME_BYTES] = "";
    rg_symbol_t *s;

    if (!check_new_name(p))
        return NULL;
    memcpy(name, p->token.text, p->token.len);
    if ((s = parser_hidden(p, kind, type, name)) == NULL)
        return NULL;
    p->scope[p->n_scope++] = s;
    parser_advance(p);
    return s;
}

rg_stmt_t *stmt_new(rg_parser_t *p, rg_stmt_kind_t kind, rg_at_t at)
{
    rg_stmt_t *s = parser_alloc(p, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->kind = kind;
    s->at = at;
    return s;
}

void parser_use(rg_parser_t *p, rg_construct_t construct, rg_at_t at)
{
    if (p->program->used[construct].line == 0)
        p->program->used[construct] = at;
}

bool parser_take_type(rg_parser_t *p, rg_type_t *out)
{
    for (int t = 0; t < RG_N_TYPES; t++)
        if (t != RG_SET && t != RG_EDGE && parser_take(p, rg_type_name[t])) {
            *out = (rg_type_t)t;
            return true;
        }
    return false;
}
