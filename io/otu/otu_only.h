/*
 * otu_only.h - leaves the OTUs of a table out that a FASTA file does not have, such as
 * chimeras: `chimeras --nonchimeras` of the representatives writes the others.
 */
#pragma once

#include "io/otu/otu_table.h"

/*
 * Keep the OTUs that records of a file are named after: by the OTU, or by its
 * representative, in either case with or without ";size=N".  OTUs keep their names.
 *
 * @param path   FASTA, or "-" for stdin
 * @param names  [table->n] of the sequences
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: the file is no FASTA, or a
 * record is no OTU); the table is as before unless it is ST_OK
 */
status_t otu_only_keep(const char *path, char *const *names,
                       otu_table_t *table) MUST_CHECK;
