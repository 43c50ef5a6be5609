// The merge of base and amla.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/vector/attention_ub.h"

#include "kernels/attention/vector/attention_merge_impl.h"
