/*
 * class_tools.c - writes input files, runs programs, reads their results.
 *
 * Genes are named by numbers, taxa by "t" and their number, so that no program stumbles
 * over a name.
 */
#include "bench/classify/class_bench.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/modelfile/class_result.h"
#include "io/seq/fasta.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_BYTES = 64, LINE_BYTES = 1 << 16 };

const char *const class_peer_name[CLASS_PEERS] = {"vsearch --sintax",
                                                  "mothur classify.seqs", "cnn"};

enum { SINTAX, MOTHUR, NET }; /* peers */
static const char *const program[] = {"vsearch", "mothur"};

status_t class_folder_create(class_folder_t *out)
{
    const char *base = getenv("TMPDIR");

    snprintf(out->path, sizeof(out->path), "%s/ribogrid-classify-XXXXXX",
             base != NULL && base[0] != '\0' ? base : "/tmp");
    if (mkdtemp(out->path) != NULL)
        return ST_OK;
    log_error("cannot create the folder %s: %s", out->path, strerror(errno));
    return ST_EIO;
}

static void remove_files(const class_folder_t *f)
{
    DIR *dir = opendir(f->path);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
}

void class_folder_remove(const class_folder_t *f)
{
    remove_files(f);
    (void)rmdir(f->path);
}

static FILE *open_in(const class_folder_t *f, const char *name, const char *mode)
{
    char path[CLASS_TOOLS_PATH + FILE_BYTES];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", f->path, name);
    if ((file = fopen(path, mode)) == NULL)
        log_error("cannot open %s: %s", path, strerror(errno));
    return file;
}

static status_t close_written(const class_folder_t *f, FILE *file, bool ok)
{
    ok = ok && fflush(file) == 0;
    if (!ok)
        log_error("cannot write to %s: %s", f->path, strerror(errno));
    fclose(file);
    return ok ? ST_OK : ST_EIO;
}

/* Run a program in the folder, its output in the file "log". */
static status_t run_program(const class_folder_t *f, const char *path, char *const *argv)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int log =
            chdir(f->path) == 0 ? open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

        if (log >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0)
            execvp(path, argv);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ST_OK;
    log_error("%s failed; its messages are in %s/log", argv[0], f->path);
    return ST_EIO;
}

/* Run `ribogrid`, which is beside this program, as run_program does. */
static status_t run_ribogrid(const class_folder_t *f, char *const *argv)
{
    static const char name[] = "ribogrid";
    char path[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - sizeof(name));
    char *end = path + (len > 0 ? len : 0);

    while (end > path && end[-1] != '/')
        end--;
    memcpy(end, name, sizeof(name));
    return run_program(f, path, argv);
}

/* Write genes as FASTA. @param genes  [n] */
static status_t write_genes(const class_folder_t *f, const char *name,
                            const class_data_t *d, const int32_t *genes, int64_t n)
{
    FILE *file = open_in(f, name, "w");
    bool ok = true;
    char header[FILE_BYTES];

    if (file == NULL)
        return ST_EIO;
    for (int64_t i = 0; ok && i < n; i++) {
        const int64_t g = genes != NULL ? genes[i] : i;

        snprintf(header, sizeof(header), "%" PRId64, g);
        ok = fasta_write_sequence(file, header, 0, NULL, d->genes, g);
    }
    return close_written(f, file, ok);
}

status_t class_tools_align(const class_folder_t *f, const class_data_t *d,
                           const int32_t *queries, int64_t n, buf_t *out)
{
    char path[CLASS_TOOLS_PATH + FILE_BYTES], threads[16];
    char *const argv[] = {"ribogrid", "align",      "queries.fa", "--against",
                          "genes.fa", "--alphabet", "dna",        "--id",
                          "0.895",    "-o",         "pairs.h5",   "--force",
                          "-q",       "--threads",  threads,      NULL};
    status_t st;

    snprintf(threads, sizeof(threads), "%d", pool_n_threads(d->pool));
    if ((st = write_genes(f, "queries.fa", d, queries, n)) != ST_OK ||
        (st = write_genes(f, "genes.fa", d, NULL, d->genes->n)) != ST_OK ||
        (st = run_ribogrid(f, argv)) != ST_OK)
        return st;
    snprintf(path, sizeof(path), "%s/pairs.h5", f->path);
    return class_pairs_read(path, NULL, 0, out);
}

static bool is_installed(int peer)
{
    const char *path = getenv("PATH");
    char file[CLASS_TOOLS_PATH];

    while (path != NULL && *path != '\0') {
        const size_t len = strcspn(path, ":");

        snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, program[peer]);
        if (access(file, X_OK) == 0)
            return true;
        path += len + (path[len] == ':');
    }
    return false;
}

bool class_peer_runs(const class_peers_t *p, int peer)
{
    return peer == NET ? p->net != NULL : p->installed && is_installed(peer);
}

/* Write the lineage of a class: "d:t3,k:t7,p:t12" for sintax, which knows eight ranks, of
 * longer ones the first seven and the last; else "t3;t7;t12;". */
static void print_lineage(FILE *to, const nbc_classes_t *c, int32_t class_number,
                          bool sintax)
{
    static const char letters[] = "dkpcofgs";
    enum { N_LETTERS = sizeof(letters) - 1 };
    const int len = class_lineage_len(c, class_number);

    for (int rank = 1; rank <= len; rank++) {
        const int32_t taxon = nbc_classes_at(c, class_number, rank);
        const int k = rank < N_LETTERS ? rank - 1 : N_LETTERS - 1;

        if (!sintax)
            fprintf(to, "t%" PRId32 ";", taxon);
        else if (rank < N_LETTERS || rank == len)
            fprintf(to, "%s%c:t%" PRId32, rank > 1 ? "," : "", letters[k], taxon);
    }
}

static status_t write_references(const class_folder_t *f, const class_data_t *d,
                                 const class_subset_t *model, bool sintax)
{
    FILE *taxa = open_in(f, "db.tax", "w"), *file = open_in(f, "db.fa", "w");
    bool ok = taxa != NULL && file != NULL;

    for (int64_t i = 0; ok && i < d->genes->n; i++) {
        const int64_t len = seqset_len(d->genes, i);

        if (model->class_of[i] < 0)
            continue;
        fprintf(file, ">%" PRId64, i);
        if (sintax) {
            fprintf(file, ";tax=");
            print_lineage(file, &d->classes, model->class_of[i], true);
            fprintf(file, ";");
        } else {
            fprintf(taxa, "%" PRId64 "\t", i);
            print_lineage(taxa, &d->classes, model->class_of[i], false);
            fprintf(taxa, "\n");
        }
        fprintf(file, "\n");
        for (int64_t k = 0; k < len; k++)
            putc(alphabet_letter(ALPHABET_DNA, seqset_letters(d->genes, i)[k]), file);
        ok = fprintf(file, "\n") > 0;
    }
    if (taxa != NULL)
        fclose(taxa);
    return file != NULL ? close_written(f, file, ok) : ST_EIO;
}

/* Read "..tN(S)..", one rank after the other; the last one is kept in any case. */
static void read_lineage(const char *text, double scale, class_peer_lineage_t *out)
{
    const char *at = text;
    int32_t taxon;
    double value;

    out->n_ranks = 0;
    for (; (at = strchr(at, 't')) != NULL; at++)
        if (sscanf(at, "t%" SCNd32 "(%lf)", &taxon, &value) == 2) {
            out->n_ranks += out->n_ranks < CLASS_PEER_RANKS;
            out->taxon[out->n_ranks - 1] = taxon;
            out->support[out->n_ranks - 1] = value * scale;
        }
}

/* Read lines of a gene and its lineage. @param scale  of supports */
static status_t read_names(const class_folder_t *f, const char *name,
                           const int32_t *queries, int64_t n, double scale,
                           class_peer_lineage_t *found)
{
    char *line = malloc(LINE_BYTES);
    FILE *file = line != NULL ? open_in(f, name, "r") : NULL;
    status_t st = line == NULL ? log_nomem("a line") : file == NULL ? ST_EIO : ST_OK;

    for (int64_t i = 0; i < n; i++)
        found[i].n_ranks = 0;
    while (st == ST_OK && fgets(line, LINE_BYTES, file) != NULL) {
        const int32_t gene = (int32_t)strtol(line, NULL, 10);
        char *tab = strchr(line, '\t');

        if (tab == NULL)
            continue;
        /* only supports of all ranks, not the names that pass a cutoff */
        tab[1 + strcspn(tab + 1, "\t")] = '\0';
        for (int64_t i = 0; i < n; i++)
            if (queries[i] == gene)
                read_lineage(tab, scale, &found[i]);
    }
    if (file != NULL)
        fclose(file);
    free(line);
    return st;
}

/* What a run of a peer needs. */
typedef struct {
    const class_folder_t *folder;
    const int32_t *queries; /* [n] */
    int64_t n;
    char threads[16];
} run_t;

static status_t run_sintax(run_t *r, class_peer_lineage_t *found)
{
    char *const argv[] = {"vsearch",     "--sintax",   "queries.fa", "--db", "db.fa",
                          "--tabbedout", "sintax.tsv", "--randseed", "1",    "--threads",
                          r->threads,    "--strand",   "plus",       NULL};
    status_t st = run_program(r->folder, program[SINTAX], argv);

    return st == ST_OK ? read_names(r->folder, "sintax.tsv", r->queries, r->n, 1, found)
                       : st;
}

static status_t run_mothur(run_t *r, class_peer_lineage_t *found)
{
    char batch[256];
    char *const argv[] = {"mothur", batch, NULL};
    status_t st;

    snprintf(batch, sizeof(batch),
             "#classify.seqs(fasta=queries.fa, reference=db.fa, taxonomy=db.tax, "
             "method=wang, cutoff=0, processors=%s, seed=1)",
             r->threads);
    st = run_program(r->folder, program[MOTHUR], argv);
    return st == ST_OK ? read_names(r->folder, "queries.db.wang.taxonomy", r->queries,
                                    r->n, 0.01, found)
                       : st;
}

/* Read the result of `classify`, whose reads are the queries in their order. */
static status_t read_calls(const run_t *r, class_peer_lineage_t *found)
{
    char path[CLASS_TOOLS_PATH + FILE_BYTES];
    class_result_t result;
    status_t st;

    snprintf(path, sizeof(path), "%s/names.h5", r->folder->path);
    if ((st = class_result_read(path, &result)) != ST_OK)
        return st;
    const class_calls_t *c = &result.calls;

    for (int64_t i = 0; i < r->n && i < c->n; i++) {
        const int len = c->taxon[i] < 0 ? 0 : class_taxa_rank(&result.taxa, c->taxon[i]);
        class_peer_lineage_t *l = &found[i];

        l->n_ranks = 0;
        for (int rank = 1; rank <= len; rank++) {
            const int32_t taxon = class_taxa_at(&result.taxa, c->taxon[i], rank);

            l->n_ranks += l->n_ranks < CLASS_PEER_RANKS;
            l->taxon[l->n_ranks - 1] = atoi(class_taxa_name(&result.taxa, taxon) + 1);
            l->support[l->n_ranks - 1] =
                (double)c->support[i * c->n_ranks + rank - 1] / CLASS_SUPPORT_ONE;
        }
    }
    class_result_free(&result);
    return ST_OK;
}

/* Train a network with the references, then classify the queries by it. */
static status_t run_net(run_t *r, const class_peers_t *peers, class_peer_lineage_t *found)
{
    char *const file = realpath(peers->net, NULL); /* the programs run in the folder */
    char *const net = file != NULL ? file : (char *)(uintptr_t)peers->net;
    char seed[24], epochs[24];
    char *const train[] = {"ribogrid",  "cnn",      "train",
                           net,         "db.fa",    "--taxonomy",
                           "db.tax",    "--seed",   seed,
                           "--threads", r->threads, "-o",
                           "net.h5",    "-q",       peers->epochs > 0 ? "--epochs" : NULL,
                           epochs,      NULL};
    char *const classify[] = {"ribogrid", "classify", "queries.fa", "--model",  "net.h5",
                              "--strand", "forward",  "--threads",  r->threads, "-o",
                              "names.h5", "-q",       NULL};
    status_t st;

    snprintf(seed, sizeof(seed), "%" PRIu64, peers->seed);
    snprintf(epochs, sizeof(epochs), "%" PRId64, peers->epochs);
    st = run_ribogrid(r->folder, train);
    if (st == ST_OK)
        st = run_ribogrid(r->folder, classify);
    free(file);
    return st == ST_OK ? read_calls(r, found) : st;
}

status_t class_peer_run(const class_peers_t *peers, int peer, const class_folder_t *f,
                        const class_data_t *d, const class_subset_t *model,
                        const int32_t *queries, int64_t n, class_peer_lineage_t *found,
                        double *seconds)
{
    run_t run = {.folder = f, .queries = queries, .n = n};
    double begin;
    status_t st;

    snprintf(run.threads, sizeof(run.threads), "%d", pool_n_threads(d->pool));
    /* mothur would take what it has learned from the references of another trial */
    remove_files(f);
    if ((st = write_genes(f, "queries.fa", d, queries, n)) != ST_OK ||
        (st = write_references(f, d, model, peer == SINTAX)) != ST_OK)
        return st;
    begin = clock_now_s();
    st = peer == SINTAX   ? run_sintax(&run, found)
         : peer == MOTHUR ? run_mothur(&run, found)
                          : run_net(&run, peers, found);
    *seconds = clock_now_s() - begin;
    return st;
}
