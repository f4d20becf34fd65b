/*
 * bench_re2.cc - calls RE2.
 */
#include "bench/automata/bench_re2.h"

#include <new>
#include <re2/re2.h>
#include <re2/set.h>
#include <string>
#include <vector>

namespace
{

/* Of its automata: enough for thousands of patterns. */
constexpr int64_t MEMORY = 1ll << 30;

RE2::Options options_of()
{
    RE2::Options o;

    o.set_encoding(RE2::Options::EncodingLatin1);
    o.set_max_mem(MEMORY);
    o.set_log_errors(false);
    return o;
}

} // namespace

void *bench_re2_open(void)
{
    return new (std::nothrow) RE2::Set(options_of(), RE2::UNANCHORED);
}

int bench_re2_add(void *re2, const char *text, size_t len, int is_caseless,
                  int is_dot_any)
{
    const std::string flags =
        std::string(is_caseless ? "(?i)" : "") + (is_dot_any ? "(?s)" : "");

    return static_cast<RE2::Set *>(re2)->Add(flags + std::string(text, len), nullptr) >=
           0;
}

int bench_re2_compile(void *re2)
{
    return static_cast<RE2::Set *>(re2)->Compile();
}

int bench_re2_match(void *re2, const char *bytes, size_t n, unsigned char *found)
{
    std::vector<int> ids;
    RE2::Set::ErrorInfo error;

    static_cast<RE2::Set *>(re2)->Match(re2::StringPiece(bytes, n), &ids, &error);
    if (error.kind != RE2::Set::kNoError)
        return -1;
    for (int id : ids)
        found[id] = 1;
    return static_cast<int>(ids.size());
}

void bench_re2_close(void *re2)
{
    delete static_cast<RE2::Set *>(re2);
}
