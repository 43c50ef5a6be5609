// A study's plots as SVG, by gnuplot. Points that failed or were dropped are drawn apart from the others: where they
// would be, as far as that is known; at the plot's edge, if one of the two is not; else they are counted below it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_PLOT_PLOT_H
#define AMALGAM_SWEEP_PLOT_PLOT_H

#include <stdbool.h>

#include "sweep/table/table.h"

// Writes the file (base/output.h).  False: error says why: gnuplot is not there, a column is not, interrupted.
// With nothing to draw the picture is its axes, and says so.
__attribute__((warn_unused_result)) bool plot_write(const table_t *table, const study_plot_t *plot,
                                                    const char *svg_file, base_error_t *error);

#endif
