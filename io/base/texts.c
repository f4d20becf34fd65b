/*
 * texts.c - copies, digests and frees lists of texts.
 */
#include "io/base/texts.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t texts_take(char *block, int64_t n, char ***out)
{
    char **texts = block != NULL ? malloc(((size_t)n + 1) * sizeof(*texts)) : NULL;

    if (texts == NULL) {
        free(block);
        return log_nomem("texts");
    }
    texts[0] = block;
    for (int64_t i = 0; i < n; i++, block += strlen(block) + 1)
        texts[i] = block;
    *out = texts;
    return ST_OK;
}

status_t texts_copy(const char *block, int64_t n, char ***out)
{
    const char *end = block;
    char *copy;

    for (int64_t i = 0; i < n; i++)
        end += strlen(end) + 1;
    if ((copy = malloc((size_t)(end - block) + 1)) != NULL)
        memcpy(copy, block, (size_t)(end - block));
    return texts_take(copy, n, out);
}

size_t texts_bytes(char *const *texts, int64_t n)
{
    size_t bytes = 0;

    for (int64_t i = 0; i < n; i++)
        bytes += strlen(texts[i]) + 1;
    return bytes;
}

uint64_t texts_digest(char *const *texts, int64_t n, uint64_t digest)
{
    for (int64_t i = 0; i < n; i++)
        digest = digest_add(digest, texts[i], strlen(texts[i]) + 1);
    return digest;
}

void texts_free(char **texts)
{
    if (texts == NULL)
        return;
    free(texts[0]); /* the block, also of no texts */
    free(texts);
}
