/*
 * pattern_class.c - parses escapes and classes of bytes: \x3d, \w, [^a-f[:space:]].
 */
#include "io/automata/pattern_state.h"

#include <ctype.h>
#include <string.h>

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* @return the value of a hexadecimal digit, or -1 */
static int hex_of(int c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void pattern_fold_case(const pattern_state_t *s, byte_set_t *set)
{
    if ((s->flags & PATTERN_CASELESS) == 0)
        return;
    for (int c = 'a'; c <= 'z'; c++)
        if (byte_set_has(set, c) || byte_set_has(set, c - 0x20)) {
            byte_set_add(set, c);
            byte_set_add(set, c - 0x20);
        }
}

/* ---- escapes ---- */

/* Set the bytes of \d, \w, \s, \h, \v; capitals are the others. @return whether it is
 * one of these */
static bool parse_shorthand(int c, byte_set_t *set)
{
    static const struct {
        char name;
        const char *bytes;
    } all[] = {{'d', "0123456789"},
               {'w', "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"},
               {'s', " \t\n\v\f\r"},
               {'h', " \t\xa0"},
               {'v', "\n\v\f\r\x85"}};

    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        if ((c | 0x20) == all[k].name) {
            *set = (byte_set_t){.bits = {0}};
            for (const char *b = all[k].bytes; *b != '\0'; b++)
                byte_set_add(set, (unsigned char)*b);
            if ((c & 0x20) == 0)
                byte_set_invert(set);
            return true;
        }
    return false;
}

/* Parse what follows \x: up to two digits, or any number in braces. */
static status_t parse_hex(pattern_state_t *s, size_t begin, int *byte)
{
    const bool has_braces = pattern_peek(s, 0) == '{';

    *byte = 0;
    s->at += has_braces;
    for (int n = 0; hex_of(pattern_peek(s, 0)) >= 0 && (has_braces || n < 2); n++) {
        *byte = *byte * 16 + hex_of(pattern_peek(s, 0));
        s->at++;
        if (*byte > 255)
            return pattern_refuse(s, begin,
                                  "a code above \\xff is not supported, because "
                                  "patterns are found among bytes");
    }
    if (has_braces && pattern_peek(s, 0) != '}')
        return pattern_refuse(s, begin, "\\x{ lacks hexadecimal digits and }");
    s->at += has_braces;
    return ST_OK;
}

/* Parse up to three octal digits, from the place on. */
static status_t parse_octal(pattern_state_t *s, size_t begin, int *byte)
{
    *byte = 0;
    for (int n = 0; n < 3 && pattern_peek(s, 0) >= '0' && pattern_peek(s, 0) <= '7';
         n++) {
        *byte = *byte * 8 + pattern_peek(s, 0) - '0';
        s->at++;
    }
    return *byte <= 255 ? ST_OK : pattern_refuse(s, begin, "an octal code above \\377");
}

/* Parse an escape of a letter that stands for one byte, behind the letter. */
static status_t parse_letter(pattern_state_t *s, int c, size_t begin, bool is_in_class,
                             int *byte)
{
    static const char letters[] = "aefnrt", codes[] = "\a\x1b\f\n\r\t";
    const char *known = c != '\0' ? strchr(letters, c) : NULL;

    if (c == 'x')
        return parse_hex(s, begin, byte);
    if (c == 'b' && is_in_class) {
        *byte = '\b';
        return ST_OK;
    }
    if (c == 'c' && pattern_peek(s, 0) >= 0) {
        *byte = toupper(pattern_peek(s, 0)) ^ 0x40;
        s->at++;
        return *byte <= 255 ? ST_OK : pattern_refuse(s, begin, "an unknown escape");
    }
    if (known != NULL) {
        *byte = (unsigned char)codes[known - letters];
        return ST_OK;
    }
    if (c == 'b' || c == 'B')
        return pattern_refuse(s, begin, "word boundaries are not supported");
    if (c == 'k' || c == 'g')
        return pattern_refuse(s, begin, "back-references are not supported");
    return pattern_refuse(s, begin, "this escape is not supported");
}

status_t pattern_parse_escape(pattern_state_t *s, bool is_in_class, byte_set_t *set,
                              int *byte)
{
    const size_t begin = s->at;
    const int c = pattern_peek(s, 1);

    *byte = -1;
    if (c < 0)
        return pattern_refuse(s, begin, "a backslash ends the pattern");
    s->at += 2;
    if (parse_shorthand(c, set))
        return ST_OK;
    if (c == 'N' && !is_in_class) {
        *set = (byte_set_t){.bits = {0}};
        byte_set_add(set, '\n');
        byte_set_invert(set);
        return ST_OK;
    }
    if (c == '0' || (is_in_class && c >= '1' && c <= '7')) {
        s->at--;
        return parse_octal(s, begin, byte);
    }
    if (is_digit(c))
        return pattern_refuse(s, begin, "back-references are not supported");
    if (is_letter(c))
        return parse_letter(s, c, begin, is_in_class, byte);
    *byte = c;
    return ST_OK;
}

/* ---- classes ---- */

/* Parse [:alpha:] or [:^alpha:], if it is at the place.
 * @param set  what is added to @param is_one  out */
static status_t parse_named(pattern_state_t *s, byte_set_t *set, bool *is_one)
{
    static const struct {
        const char *name;
        int (*has)(int);
    } all[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank},
               {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
               {"lower", islower}, {"print", isprint}, {"punct", ispunct},
               {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
    const char *text = (const char *)s->text + s->at;
    const size_t left = s->len - s->at;
    const bool is_inverted = pattern_peek(s, 2) == '^';
    const size_t begin = is_inverted ? 3 : 2;
    size_t end = begin;

    *is_one = false;
    while (end < left && is_letter(text[end]))
        end++;
    if (pattern_peek(s, 1) != ':' || end + 1 >= left || text[end] != ':' ||
        text[end + 1] != ']')
        return ST_OK;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        if (strlen(all[k].name) == end - begin &&
            memcmp(all[k].name, text + begin, end - begin) == 0) {
            for (int c = 0; c < 256; c++)
                if ((c < 128 && all[k].has(c) != 0) != is_inverted)
                    byte_set_add(set, c);
            s->at += end + 2;
            *is_one = true;
            return ST_OK;
        }
    return pattern_refuse(s, s->at, "an unknown class");
}

/* Parse one member of a class: a byte, or a set that cannot begin or end a range.
 * @param byte  out: -1: a set, which was added */
static status_t parse_member(pattern_state_t *s, byte_set_t *set, int *byte)
{
    byte_set_t escaped;
    bool is_named = false;
    status_t st;

    *byte = pattern_peek(s, 0);
    if (*byte == '[' && (st = parse_named(s, set, &is_named)) != ST_OK)
        return st;
    if (is_named) {
        *byte = -1;
        return ST_OK;
    }
    if (*byte != '\\') {
        s->at++;
        return ST_OK;
    }
    if ((st = pattern_parse_escape(s, true, &escaped, byte)) == ST_OK && *byte < 0)
        byte_set_unite(set, &escaped);
    return st;
}

status_t pattern_parse_class(pattern_state_t *s, byte_set_t *set)
{
    const size_t begin = s->at;
    const bool is_inverted = pattern_peek(s, 1) == '^';
    status_t st;

    *set = (byte_set_t){.bits = {0}};
    s->at += is_inverted ? 2 : 1;
    for (bool is_first = true; is_first || pattern_peek(s, 0) != ']'; is_first = false) {
        const size_t member = s->at;
        int low, high;

        if (s->at >= s->len)
            return pattern_refuse(s, begin, "a class lacks its ]");
        if ((st = parse_member(s, set, &low)) != ST_OK)
            return st;
        if (low < 0)
            continue;
        high = low;
        if (pattern_peek(s, 0) == '-' && pattern_peek(s, 1) != ']' &&
            pattern_peek(s, 1) >= 0) {
            s->at++;
            if ((st = parse_member(s, set, &high)) != ST_OK)
                return st;
            if (high < 0) { /* "a-\d": three members */
                byte_set_add(set, '-');
                high = low;
            }
        }
        if (high < low)
            return pattern_refuse(s, member, "a range ends before it begins");
        byte_set_add_range(set, low, high);
    }
    s->at++;
    pattern_fold_case(s, set);
    if (is_inverted)
        byte_set_invert(set);
    return ST_OK;
}
