// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "llm/family/graph.h"

#define FAMILY llm_deepseek
#define FAMILY_FILE "llm/family/deepseek.def"
#include "llm/family/make.def"
