# Find sequence variants with DADA2: its published workflow for single reads, by default
# settings, without cutting bases (the reads are of one length and no worse at their ends).
#
# usage: Rscript bench/dada2.R READS.fastq ASVS.fa CLEAN.fa THREADS
#
# Reads of more than 2 expected errors are left out.  Writes all variants, and those that
# are no chimeras.
suppressPackageStartupMessages(library(dada2))
arguments <- commandArgs(trailingOnly = TRUE)
threads <- as.integer(arguments[4])
filtered <- paste0(arguments[2], ".fastq")

write_table <- function(table, path) {
    writeLines(paste0(">", seq_len(ncol(table)), ";size=", table[1, ], "\n", colnames(table)), path)
}

invisible(filterAndTrim(arguments[1], filtered, maxEE = 2, truncQ = 0, compress = FALSE))
reads <- derepFastq(filtered)
errors <- learnErrors(filtered, multithread = threads, verbose = 0)
variants <- dada(reads, err = errors, multithread = threads, verbose = FALSE)
table <- makeSequenceTable(variants)
write_table(table, arguments[2])
write_table(removeBimeraDenovo(table, multithread = threads), arguments[3])
cat("R", as.character(getRversion()), "dada2", as.character(packageVersion("dada2")), "\n")
cat(sum(reads$uniques), "reads,", length(reads$uniques), "different, after the filter\n")
