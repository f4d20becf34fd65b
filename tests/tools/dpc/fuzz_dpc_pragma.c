/*
 * fuzz_dpc_pragma.c - libFuzzer target: arbitrary bytes as a CUDA file's tokens, and as
 * the clauses of a pragma, whose words lie in the text.
 */
#include "tests/support/fuzz_file.h"
#include "tools/dpc/dpc_lex.h"
#include "tools/dpc/dpc_pragma.h"

#include <string.h>

static void check_word(dp_word_t w, const char *text, size_t len)
{
    if (w.len > 0 && (w.at < text || w.at + w.len > text + len))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *text = (const char *)data;
    char reason[DP_REASON_BYTES];
    dp_pragma_t p;
    lex_t lex;

    if (dp_pragma_parse(text, len, &p, reason)) {
        check_word(p.per_buffer, text, len);
        if (p.n_work < 1 || p.n_work > DP_WORK_MAX || p.threads > 1024 || p.blocks < 0)
            abort();
        for (int i = 0; i < p.n_work; i++)
            check_word(p.work[i], text, len);
    } else if (strlen(reason) == 0) {
        abort();
    }
    if (lex_scan(text, len, &lex) != ST_OK)
        abort();
    for (size_t i = 0, end = 0; i < lex.n; i++) {
        if (lex.all[i].begin < end || lex.all[i].end <= lex.all[i].begin ||
            lex.all[i].end > len || lex_close(&lex, i) > lex.n ||
            lex_directive_end(&lex, i) > lex.n)
            abort();
        end = lex.all[i].end;
    }
    lex_free(&lex);
    return 0;
}
