// Parts of the JSON that several kinds of runs write: members of the root, or of "host", which is
// there.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_JSON_H
#define CLI_RUN_JSON_H

#include <cJSON.h>

#include "cli/option/options.h"
#include "soc/soc.h"

void run_json_config(cJSON *root, const char *config, const option_list_t *set);
void run_json_traffic(cJSON *root, const soc_result_t *soc);
void run_json_pipes(cJSON *root, const soc_result_t *soc);
void run_json_host(cJSON *host, const soc_result_t *soc);

#endif
