// Blocks, masks, and what orders cores.  A block of a PTO kernel is an AI core: its vector cores run it side by side,
// and get_subblockid() tells them apart.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_SYNC_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_SYNC_H

#include "ascendc/launch.h"
#include "ascendc/sync.h"
#include "pto/tile.h"

#define AICORE __aicore__
#define PTO_INLINE inline

// Masks are the tile calls' own.
AMALGAM_INLINE void set_mask_norm() { AscendC::SetMaskNorm(); }
AMALGAM_INLINE void set_mask_count() { AscendC::SetMaskCount(); }
AMALGAM_INLINE void set_vector_mask(uint64_t high, uint64_t low) { AscendC::SetVectorMask<uint8_t>(high, low); }

// Flags between the cores of an AI core: bits 4 and 5 are the mode, from bit 8 on is the flag's number.
AMALGAM_INLINE void ffts_cross_core_sync(pipe_t on, uint64_t config) {
  amalgam::require((config >> 4 & 3) == 2, amalgam::PANIC_FORM);
  auto c = amalgam::begin<amalgam::cmd_cross_set_t>(amalgam::OP_CROSS_SET, amalgam::pipe_of(on), amalgam::hal_pc());
  c.flag = static_cast<uint32_t>(config >> 8 & 15);
  amalgam::hal_push_cross_set(&c);
}
// The program, and with it all that comes later, waits.
AMALGAM_INLINE void wait_flag_dev(uint64_t flag) {
  auto c = amalgam::begin<amalgam::cmd_cross_wait_t>(amalgam::OP_CROSS_WAIT, amalgam::PIPE_S, amalgam::hal_pc());
  c.flag = static_cast<uint32_t>(flag);
  amalgam::hal_push_cross_wait(&c);
}

namespace pto {

enum class SyncCoreType { Mix, AICOnly, AIVOnly };

template <SyncCoreType cores = SyncCoreType::Mix>
AMALGAM_INLINE void SYNCALL() {
  static_assert(cores == SyncCoreType::AIVOnly, "SYNCALL: of vector cores alone it is there");
  AscendC::SyncAll<true>();
}

// --- of cube cores ----------------------------------------------------------------------------

#define AMALGAM_OF_CUBE_CORES(CALL)                                                                        \
  template <typename T, typename... A>                                                                     \
  AMALGAM_INLINE void CALL(const T &, const A &...) {                                                      \
    static_assert(sizeof(T) == 0, #CALL ": calls of vector cores are there; those of cube cores are not"); \
  }
AMALGAM_OF_CUBE_CORES(TEXTRACT)
AMALGAM_OF_CUBE_CORES(TMATMUL)
AMALGAM_OF_CUBE_CORES(TMATMUL_ACC)
AMALGAM_OF_CUBE_CORES(TMATMUL_BIAS)

}  // namespace pto

#endif
