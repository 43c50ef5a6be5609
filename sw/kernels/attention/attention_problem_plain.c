// The problem of base and amla.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_problem_impl.h"
