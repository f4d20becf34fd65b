/*
 * cmd_cnn_report.h - the page of `ribogrid cnn report` on one trained network, which
 * `ribogrid report` draws as well.
 */
#ifndef RIBOGRID_TOOLS_CNN_CMD_CNN_REPORT_H
#define RIBOGRID_TOOLS_CNN_CMD_CNN_REPORT_H

#include "tools/print/file_page.h"

/* @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t cmd_cnn_report_page(const file_report_t *how) MUST_CHECK;

#endif
