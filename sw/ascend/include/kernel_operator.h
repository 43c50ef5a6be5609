// Ascend C for Amalgam: what a kernel's `#include "kernel_operator.h"` finds.  Each call is the sequence of commands
// (hal/commands.def) and vector instructions (hal/vector_instructions.def) that the hardware needs for it.
//
// Names, arguments and meanings are those that permissively licensed kernels use; each header says where it differs.
// Compiled as C++20, whose rules for explicit template arguments users' compilers have in C++17, too; freestanding.  A
// call that is not here is an error of the compiler.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_KERNEL_OPERATOR_H
#define AMALGAM_SW_ASCEND_INCLUDE_KERNEL_OPERATOR_H

#include "ascendc/number.h"
#include "ascendc/machine.h"
#include "ascendc/event.h"
#include "ascendc/tensor.h"
#include "ascendc/pipe.h"
#include "ascendc/data_copy.h"
#include "ascendc/cube.h"
#include "ascendc/vector.h"
#include "ascendc/reduce.h"
#include "ascendc/select.h"
#include "ascendc/sort.h"
#include "ascendc/library.h"
#include "ascendc/debug.h"
#include "ascendc/sync.h"
#include "ascendc/launch.h"

#endif
