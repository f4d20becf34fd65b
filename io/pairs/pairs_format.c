/*
 * pairs_format.c - names and fill values of a result file's datasets.
 */
#include "io/pairs/pairs_format.h"

const char *const pairs_dataset_name[PAIRS_DATASETS_MAX] = {"score", "matches", "columns",
                                                            "cigar_length"};
const int32_t pairs_fill[PAIRS_DATASETS_MAX] = {INT32_MIN, 0, 0, 0};

const char *const pairs_hit_name[PAIRS_HIT_DATASETS] = {"row",     "col",     "score",
                                                        "matches", "columns", "strand"};
