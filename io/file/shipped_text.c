/*
 * shipped_text.c - loads a text by its name or from its file.
 */
#include "io/file/shipped_text.h"

#include "io/base/logmsg.h"
#include "io/base/near_word.h"
#include "io/file/lines.h"

#include <string.h>
#include <unistd.h>

static status_t read_file(const shipped_texts_t *texts, const char *path, buf_t *text)
{
    lines_t *lines = NULL;
    char *line;
    status_t st = lines_open(path, &lines);

    while (st == ST_OK && (st = lines_next(lines, &line)) == ST_OK && line != NULL)
        if (text->len + strlen(line) > texts->max_bytes)
            st = lines_refuse(lines, "more than %zu bytes; give %s", texts->max_bytes,
                              texts->file);
        else
            st = buf_printf(text, "%s\n", line);
    lines_close(lines);
    return st == ST_OK ? buf_append(text, "", 1) : st;
}

static status_t refuse_name(const shipped_texts_t *texts, const char *name)
{
    near_word_t near = near_word_begin(name, strlen(name));
    char guess[NEAR_WORD_BYTES];
    buf_t names = {0};
    status_t st = ST_OK;

    for (int i = 0; texts->all[i].name != NULL && st == ST_OK; i++) {
        near_word_try(&near, texts->all[i].name);
        st = buf_printf(&names, "%s%s", i == 0 ? "" : ", ", texts->all[i].name);
    }
    if (st == ST_OK) {
        log_error("%s: neither a file nor a shipped %s; give %s or one of %.*s%s", name,
                  texts->kind, texts->file, (int)names.len, (const char *)names.data,
                  near_word_text(&near, "", guess));
        st = ST_EINPUT;
    }
    buf_free(&names);
    return st;
}

status_t shipped_text_load(const shipped_texts_t *texts, const char *name, buf_t *out)
{
    for (int i = 0; texts->all[i].name != NULL; i++)
        if (strcmp(texts->all[i].name, name) == 0)
            return buf_append(out, texts->all[i].text, strlen(texts->all[i].text) + 1);
    if (strcmp(name, "-") != 0 && access(name, F_OK) != 0)
        return refuse_name(texts, name);
    return read_file(texts, name, out);
}
