// The cube core's part of base and amla.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/cube/attention_cube_impl.h"
#include "kernels/attention/cube/attention_l1.h"
