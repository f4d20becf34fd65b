# close_pairs.R - prints the pairs of a FASTA file that are similar.
#
#   PKG_CFLAGS=$(pkg-config --cflags ribogrid) PKG_LIBS=$(pkg-config --libs ribogrid) \
#       R CMD SHLIB close_pairs.c
#   Rscript close_pairs.R READS.fa [IDENTITY]
args <- commandArgs(trailingOnly = TRUE)
dyn.load("close_pairs.so")
identity <- if (length(args) > 1) as.numeric(args[2]) else 0.97
pairs <- as.data.frame(.Call("close_pairs", args[1], identity))
pairs$identity <- sprintf("%.6f", pairs$identity)
write.table(pairs, sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
