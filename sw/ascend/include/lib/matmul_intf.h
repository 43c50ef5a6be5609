// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_LIB_MATMUL_INTF_H
#define AMALGAM_SW_ASCEND_INCLUDE_LIB_MATMUL_INTF_H

#include "kernel_operator.h"
#include "ascendc/matmul.h"

#endif
