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

// Flags between cores: bits 4 and 5 are the mode, as CrossCoreSetFlag has it, from bit 8 on is the flag's number.
AMALGAM_INLINE void ffts_cross_core_sync(pipe_t on, uint64_t config) {
  const uint64_t pc = amalgam::hal_pc(), mode = config >> 4 & 3;
  const auto flag = static_cast<uint32_t>(config >> 8 & 15);
  amalgam::require((mode == 0 || mode == 2) && flag < amalgam::FLAG_OF_SYNC, amalgam::PANIC_FORM);
  const amalgam::pipe by = amalgam::is_cube && on == PIPE_MTE3 ? amalgam::last_pipe : amalgam::pipe_of(on);
  if (mode == 2) {
    amalgam::cross_set(pc, by, flag);
  } else {
    amalgam::require_all_blocks();
    amalgam::meet_all(pc, by);
    amalgam::here()->all_pipe[flag] = static_cast<uint8_t>(by + 1);
  }
}
// The program, and with it all that comes later, waits.
AMALGAM_INLINE void wait_flag_dev(uint64_t flag) { AscendC::CrossCoreWaitFlag<0, PIPE_S>(static_cast<uint16_t>(flag)); }

namespace pto {

enum class SyncCoreType { Mix, AICOnly, AIVOnly };

template <SyncCoreType cores = SyncCoreType::Mix>
AMALGAM_INLINE void SYNCALL() {
  static_assert(cores != SyncCoreType::AICOnly, "SYNCALL: of vector cores it is there, alone and with cube cores");
  AscendC::SyncAll<cores == SyncCoreType::AIVOnly>();
}

}  // namespace pto

#endif
