/*
 * mutate_links.c - names, groups and links: missing, exchanged, cyclic, to other files.
 */
#include "tests/mutate/mutate.h"

#include <stdio.h>
#include <string.h>

enum { LONG_NAME = 60000 };

static void remove_link(mutant_t *m, const char *path)
{
    H5Ldelete(m->file, path, H5P_DEFAULT);
    mutant_note(m, " %s removed;", path);
}

static void put_group(mutant_t *m, const char *path)
{
    H5Ldelete(m->file, path, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(m->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    mutant_note(m, " %s becomes a group;", path);
}

static void put_soft_link(mutant_t *m, const char *path)
{
    char target[MUTANT_NAME_BYTES + 1] = "/";

    H5Ldelete(m->file, path, H5P_DEFAULT);
    switch (mutant_below(m, 3)) {
    case 0:
        strcpy(target + 1, path); /* itself */
        break;
    case 1:
        strcpy(target, "/missing");
        break;
    default:
        mutant_pick(m, MUTANT_DATASET | MUTANT_GROUP, target + 1);
    }
    H5Lcreate_soft(target, m->file, path, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s becomes a soft link to %s;", path, target);
}

/* The copy is kept under another name, so that a link may lead to the right values. */
static void put_link_to_copy(mutant_t *m, const char *path)
{
    H5Lmove(m->file, path, m->file, "/moved", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/moved", m->file, path, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s becomes a soft link to its content;", path);
}

static void put_external_link(mutant_t *m, const char *path)
{
    static const char *const files[] = {"other.h5",   "other.h5", "missing.h5",
                                        "secret.txt", "fifo",     "/dev/zero"};
    const char *file = files[mutant_below(m, 6)];

    H5Ldelete(m->file, path, H5P_DEFAULT);
    H5Lcreate_external(file, path, m->file, path, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s becomes a link to %s;", path, file);
}

static void put_hard_link(mutant_t *m, const char *path)
{
    char target[MUTANT_NAME_BYTES];

    if (!mutant_pick(m, MUTANT_DATASET, target) || strcmp(target, path) == 0)
        return;
    H5Ldelete(m->file, path, H5P_DEFAULT);
    H5Lcreate_hard(m->file, target, m->file, path, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s becomes %s;", path, target);
}

static void exchange(mutant_t *m, const char *path)
{
    char other[MUTANT_NAME_BYTES];

    if (!mutant_pick(m, MUTANT_DATASET, other) || strcmp(other, path) == 0)
        return;
    H5Lmove(m->file, path, m->file, "/moved", H5P_DEFAULT, H5P_DEFAULT);
    H5Lmove(m->file, other, m->file, path, H5P_DEFAULT, H5P_DEFAULT);
    H5Lmove(m->file, "/moved", m->file, other, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s and %s exchanged;", path, other);
}

static void put_cycle(mutant_t *m, const char *path)
{
    const char *name = mutant_chance(m, 50) ? "cycle" : path;

    if (name == path)
        H5Ldelete(m->file, path, H5P_DEFAULT);
    H5Lcreate_hard(m->file, "/", m->file, name, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s becomes the root;", name);
}

static void put_committed_type(mutant_t *m, const char *path)
{
    hid_t type = H5Tcopy(H5T_STD_I32LE);

    H5Ldelete(m->file, path, H5P_DEFAULT);
    H5Tcommit2(m->file, path, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    mutant_note(m, " %s becomes a type;", path);
}

static void put_deep_groups(mutant_t *m, const char *path)
{
    hid_t group = H5Gopen2(m->file, "/", H5P_DEFAULT);
    int depth = 1 + (int)mutant_below(m, 500);

    for (int i = 0; i < depth; i++) {
        hid_t inner = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

        H5Gclose(group);
        group = inner;
    }
    H5Lmove(m->file, path, group, "data", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    mutant_note(m, " %s lies %d groups deep;", path, depth);
}

static void put_many(mutant_t *m, const char *path)
{
    hid_t space = H5Screate(H5S_SCALAR), creation = H5Pcreate(H5P_DATASET_CREATE);
    char name[MUTANT_NAME_BYTES + 16];
    int n = 1 + (int)mutant_below(m, 300);

    H5Pset_obj_track_times(creation, false); /* the clock must not show in a mutant */
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "%s_%d", path, i);
        H5Dclose(H5Dcreate2(m->file, name, H5T_STD_I32LE, space, H5P_DEFAULT, creation,
                            H5P_DEFAULT));
    }
    H5Pclose(creation);
    H5Sclose(space);
    mutant_note(m, " %d datasets like %s;", n, path);
}

static void put_odd_name(mutant_t *m, const char *path)
{
    static char name[LONG_NAME + 1];
    size_t len;

    if (mutant_chance(m, 20)) {
        memset(name, 'n', LONG_NAME);
    } else {
        const char *text = mutant_text(m, &len);

        snprintf(name, sizeof(name), "%.50000s", len > 0 ? text : "n");
    }
    H5Lmove(m->file, path, m->file, name, H5P_DEFAULT, H5P_DEFAULT);
    mutant_note(m, " %s gets an odd name;", path);
}

void mutate_links(mutant_t *m)
{
    static void (*const changes[])(mutant_t *, const char *) = {
        remove_link,       remove_link,   put_group,    put_soft_link, put_link_to_copy,
        put_external_link, put_hard_link, exchange,     put_cycle,     put_committed_type,
        put_deep_groups,   put_many,      put_odd_name,
    };
    char path[MUTANT_NAME_BYTES];

    if (mutant_pick(m, MUTANT_DATASET | (mutant_chance(m, 30) ? MUTANT_GROUP : 0), path))
        changes[mutant_below(m, sizeof(changes) / sizeof(changes[0]))](m, path);
}
