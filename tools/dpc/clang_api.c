/*
 * clang_api.c - finds and loads libclang.
 */
#include "tools/dpc/clang_api.h"

#include "io/base/logmsg.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The version that dpc is tested with comes first, and the newest of the others. */
static const int versions[] = {19, 22, 21, 20, 18, 17, 16, 15, 14};

/* The headers of the compiler itself (stddef.h) lie beside its other files; older
 * versions have a folder with all of their numbers. */
static void find_resources(clang_api_t *api, int version)
{
    static const char *const ends[] = {"", ".0.6", ".0.0"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        snprintf(api->resources, sizeof(api->resources),
                 "/usr/lib/llvm-%d/lib/clang/%d%s", version, version, ends[i]);
        if (access(api->resources, R_OK) == 0)
            return;
    }
    api->resources[0] = '\0';
}

static bool find_functions(clang_api_t *api)
{
    const struct {
        const char *name;
        void *to;
    } all[] = {
#define CLANG_ROW(result, name, parameters) {"clang_" #name, &api->name},
        CLANG_FUNCTIONS(CLANG_ROW)
#undef CLANG_ROW
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        void *symbol = dlsym(api->library, all[i].name);

        if (symbol == NULL)
            return false;
        memcpy(all[i].to, &symbol,
               sizeof(symbol)); /* an object pointer to a function's */
    }
    return true;
}

static bool try_library(clang_api_t *api, const char *name)
{
    if ((api->library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) == NULL)
        return false;
    if (find_functions(api))
        return true;
    dlclose(api->library);
    return false;
}

status_t clang_api_load(clang_api_t *out)
{
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        const int v = versions[i];
        char names[3][64];

        snprintf(names[0], sizeof(names[0]), "libclang-%d.so.1", v);
        snprintf(names[1], sizeof(names[1]), "libclang.so.%d", v);
        snprintf(names[2], sizeof(names[2]), "/usr/lib/llvm-%d/lib/libclang.so.1", v);
        for (int k = 0; k < 3; k++)
            if (try_library(out, names[k])) {
                find_resources(out, v);
                return ST_OK;
            }
    }
    if (try_library(out, "libclang.so.1") || try_library(out, "libclang.so")) {
        out->resources[0] = '\0';
        return ST_OK;
    }
    log_error(
        "libclang was not found; install it (Debian and Ubuntu: libclang-19-dev, or "
        "another version from 14 on; conda: libclang)");
    return ST_EDEVICE;
}
