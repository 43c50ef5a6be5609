// Parts of the text that several kinds of runs print.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_TEXT_H
#define CLI_RUN_TEXT_H

#include <stdio.h>

#include "soc/soc.h"

static inline const char *plural(size_t count) { return count == 1 ? "" : "s"; }

// Of any run of the SoC: bytes; and where the cycles went, for the pipes of cores whose kind was
// given commands, each by itself or the mean over all of a kind.
void run_text_traffic(FILE *file, const soc_result_t *soc);
void run_text_pipes(FILE *file, const soc_result_t *soc, bool mean);

#endif
