// Time of commands, by command and by line of firmware, from a run's JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_TEXT_PROFILE_H
#define AMALGAM_CLI_TEXT_PROFILE_H

#include <cJSON.h>
#include <stdio.h>

// profile: that member of the JSON. Two tables; of lines those that took the most.
void text_profile(FILE *file, const cJSON *profile);

#endif
