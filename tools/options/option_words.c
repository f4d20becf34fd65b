/*
 * option_words.c - the rows.
 */
#include "tools/options/options.h"

#include "graph/cluster/cluster_pairs.h"
#include "io/pairs/pairs_format.h"
#include "io/pairs/pairs_order.h"
#include "kernels/classify/nbc_spec.h"
#include "worker/align/align_opts.h"

enum { SCORE_MAX = PAIRS_JOB_SCORE_MAX }; /* in halves */

const option_t option_words[OPTION_N_WORDS] = {
    [WORD_AGAINST] = {OPTION_INPUT, "against", 0, 0, "REF.fa[.gz]",
                      "compare with the references in this file"},
    [WORD_ALLOCATOR] = {OPTION_CHOICE, "allocator", 0, 0,
                        "arena|blocks|fixed|pool|malloc", "where a GPU keeps"},
    [WORD_ALLOW_MISSING] = {OPTION_FLAG, "allow-missing", 0, 0, NULL,
                            "accept sequences that have no lineage"},
    [WORD_ALPHABET] = {OPTION_CHOICE, "alphabet", 0, 0, "dna|protein|auto",
                       "letters of the sequences: nucleotides or amino acids"},
    [WORD_AMBIGUOUS] = {OPTION_INT, "ambiguous", 0, 0, "PERCENT",
                        "sequences with ambiguity codes", 0, 100},
    [WORD_ANGLE] = {OPTION_NUMBER, "angle", 0, 0, "ANGLE",
                    "minimum angle of triangles, in degrees", 0, 60},
    [WORD_BAND] = {OPTION_CHOICE, "band", 0, 0, "auto|off",
                   "skip cells that provably do not change the result"},
    [WORD_BINS] = {OPTION_INT, "bins", 0, 0, "N", "bins of equal width", 1, INT32_MAX},
    [WORD_BATCH] = {OPTION_INT, "batch", 0, 0, "N", "images per batch", 1, INT32_MAX},
    [WORD_BLAST6OUT] = {OPTION_OUTPUT, "blast6out", 0, 0, "FILE",
                        "also write the pairs as `ribogrid export --format blast6`"},
    [WORD_COUNT_TABLE] = {OPTION_INPUT, "count-table", 0, 0, "FILE",
                          "read abundances and samples from a mothur count_table"},
    [WORD_DEDUPE] = {OPTION_FLAG, "dedupe", 0, 0, NULL,
                     "keep one of the edges between the same nodes"},
    [WORD_DEVICE] = {OPTION_TEXT, "device", 0, 0, "auto|cpu|cuda[:I]",
                     "device to compute on (auto: a GPU if there is one)"},
    [WORD_DEVICE_MEMORY] = {OPTION_SIZE, "device-memory", 0, 0, "SIZE",
                            "memory that a rank may use on its device"},
    [WORD_DIRECTED] = {OPTION_FLAG, "directed", 0, 0, NULL,
                       "edges lead from the first node to the second only"},
    [WORD_DROP_LOOPS] = {OPTION_FLAG, "drop-loops", 0, 0, NULL,
                         "drop edges from a node to itself"},
    [WORD_EMIT] = {OPTION_CHOICE, "emit", 0, 0, "score|identity|cigar|both",
                   "what to compute of a pair"},
    [WORD_ENDS] = {OPTION_CHOICE, "ends", 0, 0, "free|count|query|both",
                   "end gaps cost nothing (free) or count"},
    [WORD_EPOCHS] = {OPTION_INT, "epochs", 0, 0, "N", "train N times with every image", 1,
                     INT32_MAX},
    [WORD_EVALUE] = {OPTION_POSITIVE, "evalue", 0, 0, "E", "maximum E-value of the pairs",
                     0, INT32_MAX},
    [WORD_FORMAT] = {OPTION_CHOICE, "format", 0, 0,
                     "auto|tsv|mothur|qiime2|sintax|hdf5|mtx|edges|gr|metis|blast6|"
                     "userout|uc|phylip|column|paf|"
                     "npy|fasta|otumap|otutab|"
                     "shared|constaxonomy|biom|biom-json",
                     "format of the output"},
    [WORD_GAP] = {OPTION_HALVES, "gap", 0, 0, "N", "score of each base in a gap",
                  -SCORE_MAX, -1},
    [WORD_GAP_EXTEND] = {OPTION_HALVES, "gap-extend", 0, 0, "COST",
                         "cost of each further base in a gap", 1, SCORE_MAX},
    [WORD_GAP_OPEN] = {OPTION_HALVES, "gap-open", 0, 0, "COST",
                       "cost of the first base in a gap", 1, SCORE_MAX},
    [WORD_GROUPS] = {OPTION_INPUT, "groups", 0, 0, "OTUS.groups.h5",
                     "OTUs that `ribogrid cluster` has found"},
    [WORD_HELD_OUT] = {OPTION_INT, "held-out", 0, 0, "N",
                       "references that are classified as if they were unknown, to learn "
                       "which names to refuse",
                       0, INT32_MAX},
    [WORD_ID] = {OPTION_FRACTION, "id", 0, 0, "FRACTION", "minimum identity"},
    [WORD_KERNEL] = {OPTION_TEXT, "kernel", 'k', 0, "auto|NAME",
                     "kernel to use; `ribogrid devices` lists them"},
    [WORD_LENGTH] = {OPTION_INT, "length", 0, 0, "N", "length in bases", 1, 10000000},
    [WORD_LOG_SHARDS] = {OPTION_INT, "log-shards", 0, 0, "N",
                         "have N ranks keep the log of finished tasks, each for an equal "
                         "number of ranks (default: one of 64 ranks, from 128 ranks on)",
                         1, INT32_MAX},
    [WORD_MASK] = {OPTION_CHOICE, "mask", 0, 0, "none|seg|db|tantan",
                   "proteins: replace regions of low complexity by X"},
    [WORD_MATRIX] = {OPTION_INPUT, "matrix", 0, 0, "FILE", "score matrix in NCBI format"},
    [WORD_MAX_ITERATIONS] = {OPTION_INT, "max-iterations", 0, 0, "N",
                             "stop after N iterations", 1, INT32_MAX},
    [WORD_MAX_LENGTH] = {OPTION_INT, "max-length", 0, 0, "N",
                         "drop sequences longer than this", 1, INT32_MAX},
    [WORD_MAX_OUTPUT] = {OPTION_SIZE, "max-output", 0, 0, "SIZE",
                         "stop if results would take more than this before compression"},
    [WORD_MEMORY] = {OPTION_SIZE, "memory", 0, 0, "SIZE", "host memory"},
    [WORD_METHOD] =
        {OPTION_CHOICE, "method", 0, 0,
         "auto|nbc|align|joint|cnn|words|all|uchime|uchime2|uchime3|" CLUSTER_METHODS
         "|closed|exact|staged",
         "method to use"},
    [WORD_MIN_LENGTH] = {OPTION_INT, "min-length", 0, 0, "N",
                         "drop sequences shorter than this", 1, INT32_MAX},
    [WORD_MIN_SIZE] = {OPTION_INT, "min-size", 0, 0, "N", "minimum abundance", 1,
                       INT64_MAX},
    [WORD_NEWICK] = {OPTION_OUTPUT, "newick", 0, 0, "FILE", "also write a tree"},
    [WORD_NOVELTY_RATE] =
        {OPTION_FRACTION, "novelty-rate", 0, 0, "FRACTION",
         "name at most this fraction of the reads whose taxon the model lacks (0.25)"},
    [WORD_ORDER] = {OPTION_CHOICE, "order", 0, 0, "abundance|length|id|degree",
                    "what is taken first"},
    [WORD_OUTPUT] = {OPTION_OUTPUT, "output", 'o', 0, "FILE", "output file"},
    [WORD_PEERS] = {OPTION_CHOICE, "peers", 0, 0, "on|off",
                    "also measure other programs"},
    [WORD_PLACE] =
        {OPTION_CHOICE, "place", 0, 0, "net|device|hybnet|auto",
         "layers that run on the CPU beside the device: those that the network "
         "places there (place=cpu), none, all fully connected ones at the end, or "
         "these where that is faster by the rates of `cnn time --kinds`, or alone "
         "fits"},
    [WORD_POOL_SIZE] = {OPTION_SIZE, "pool-size", 0, 0, "SIZE", "memory on the GPU for"},
    [WORD_PRESET] = {OPTION_CHOICE, "preset", 0, 0, ALIGN_PRESET_NAMES,
                     "score and count as this program"},
    [WORD_PRIOR] = {OPTION_CHOICE, "prior", 0, 0, "equal|references|both",
                    "with joint, the prior probability of a taxon: the same for all "
                    "(equal), or higher for taxa with more references"},
    [WORD_REMATERIALIZE] = {OPTION_CHOICE, "rematerialize", 0, 0, "auto|off",
                            "compute cheap layers again in the backward pass where that "
                            "takes less time than copies"},
    [WORD_RESAMPLES] = {OPTION_INT, "resamples", 0, 0, "N",
                        "random samples of the words of a sequence", 1,
                        NBC_RESAMPLES_MAX},
    [WORD_RUNS] = {OPTION_INT, "runs", 0, 0, "N", "timed runs", 1, INT32_MAX},
    [WORD_SAMPLES] = {OPTION_INPUT, "samples", 0, 0, "FILE",
                      "read samples from a table: name TAB sample [TAB count, if not 1]"},
    [WORD_SECONDS] = {OPTION_HALVES, "seconds", 0, 0, "S", "how long to measure", 0,
                      2000000},
    [WORD_SIZEOUT] = {OPTION_FLAG, "sizeout", 0, 0, NULL,
                      "write abundances into the names of FASTA: ;size=N"},
    [WORD_SKIP_BAD] = {OPTION_FLAG, "skip-bad", 0, 0, NULL,
                       "skip invalid records instead of stopping"},
    [WORD_SORT] = {OPTION_CHOICE, "sort", 0, 0, PAIRS_ORDER_WORDS,
                   "order of each query's pairs: of the file, or best first (best first "
                   "after `align --top`, else row)"},
    [WORD_SOURCE] = {OPTION_TEXT, "source", 0, 0, "NODE|random|max-degree",
                     "where to start, by name or id"},
    [WORD_SOURCES] = {OPTION_INT, "sources", 0, 0, "N", "start from N nodes", 1,
                      INT32_MAX},
    [WORD_SPLIT] = {OPTION_TEXT, "split", 0, 0, "auto|...", "split"},
    [WORD_STRAND] = {OPTION_CHOICE, "strand", 0, 0, "plus|both",
                     "take reads as they are (plus), or the better of both strands"},
    [WORD_SWAP] = {OPTION_CHOICE, "swap", 0, 0, "plan|demand",
                   "which tensors leave the device's memory: those that move the fewest "
                   "bytes, early (plan), or the least recently used, when memory is "
                   "needed (demand)"},
    [WORD_SVG] = {OPTION_OUTPUT, "svg", 0, 0, "FILE", "also draw"},
    [WORD_TAXONOMY] = {OPTION_INPUT, "taxonomy", 0, 0, "FILE", "lineages"},
    [WORD_THREADS] = {OPTION_INT, "threads", 't', 0, "N", "threads", 1, 4096},
    [WORD_TITLE] = {OPTION_TEXT, "title", 0, 0, "TEXT", "title of the page"},
    [WORD_TOP] = {OPTION_INT, "top", 0, 0, "N", "keep the N best", 1, INT32_MAX},
    [WORD_TSV] = {OPTION_FLAG, "tsv", 0, 0, NULL, "print tab-separated lines"},
    [WORD_TYPE] = {OPTION_CHOICE, "type", 0, 0, "fp32|tf32|bf16",
                   "numbers to compute with"},
    [WORD_VARIANT] = {OPTION_CHOICE, "variant", 0, 0,
                      "auto|O_T_BM|O_T_QU|O_B_BM|O_B_QU|U_T_BM|U_T_QU|U_B_BM|U_B_QU|"
                      "rounds|base|atomic|3-phase|stealing|dpar|all",
                      "variant of an algorithm"},
    [WORD_WEIGHTS] = {OPTION_TEXT, "weights", 0, 0, "file|unit|uniform:LOW-HIGH[:SEED]",
                      "weights of the edges"},
};
