// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "llm/family/graph.h"

#define FAMILY llm_decoder
#define FAMILY_FILE "llm/family/decoder.def"
#include "llm/family/make.def"
