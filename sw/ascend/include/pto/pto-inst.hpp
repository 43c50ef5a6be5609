// PTO tile instructions for Amalgam: what a kernel's `#include <pto/pto-inst.hpp>` finds.  Each call is the sequence of
// vector instructions and commands that the hardware needs for it, made with the layer for Ascend C.
//
// Names, arguments and meanings are those that permissively licensed kernels use (sgl-kernel-npu, TileLang's template).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_PTO_INST_HPP
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_PTO_INST_HPP

#include "pto/tile.h"
#include "pto/global.h"
#include "pto/cube.h"
#include "pto/walk.h"
#include "pto/arithmetic.h"
#include "pto/move.h"
#include "pto/rows.h"
#include "pto/choice.h"
#include "pto/sync.h"

#endif
