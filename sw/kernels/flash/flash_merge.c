// The merge of flash.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/flash/flash_ub.h"

#include "kernels/attention/vector/attention_merge_impl.h"
