/*
 * texts.c - copies and frees lists of texts.
 */
#include "io/base/texts.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t texts_copy(texts_at_fn *at, const void *ctx, int64_t n, char ***out)
{
    char **texts = calloc((size_t)n + 1, sizeof(*texts));
    size_t bytes = 0, end = 0;

    for (int64_t i = 0; i < n; i++)
        bytes += strlen(at(ctx, i)) + 1;
    if (texts == NULL || (texts[0] = malloc(bytes + 1)) == NULL) {
        free(texts);
        return log_nomem("texts");
    }
    for (int64_t i = 0; i < n; i++) {
        const char *text = at(ctx, i);
        const size_t len = strlen(text) + 1;

        texts[i] = memcpy(texts[0] + end, text, len);
        end += len;
    }
    *out = texts;
    return ST_OK;
}

size_t texts_bytes(char *const *texts, int64_t n)
{
    size_t bytes = 0;

    for (int64_t i = 0; i < n; i++)
        bytes += strlen(texts[i]) + 1;
    return bytes;
}

void texts_free(char **texts)
{
    if (texts == NULL)
        return;
    free(texts[0]); /* the block, also of no texts */
    free(texts);
}
