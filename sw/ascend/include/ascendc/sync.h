// Blocks, and what orders cores: SyncAll, cross-core flags, flags in memory; atomic stores.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_SYNC_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_SYNC_H

#include "ascendc/pipe.h"

enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2
};
// The text is what `amalgam ascend` finds in the preprocessed source: for which kinds of core it is to be compiled.
#define KERNEL_TASK_TYPE_DEFAULT(type) (void)("amalgam kernel " #type)
#define KERNEL_TASK_TYPE(key, type) (void)("amalgam kernel " #type)
#define REGISTER_TILING_DEFAULT(type)
#define ASCEND_IS_AIV (!amalgam::is_cube)
#define ASCEND_IS_AIC (amalgam::is_cube)
#define ASCEND_IS_NOT_AIV (amalgam::is_cube)
#define ASCEND_IS_NOT_AIC (!amalgam::is_cube)

namespace AscendC {

// A block of a mixed kernel is an AI core, whose vector cores count on: block times their number, plus sub-block.
AMALGAM_INLINE int64_t GetBlockIdx() {
  const amalgam::context *at = amalgam::here();
  return amalgam::is_mixed && !amalgam::is_cube
             ? static_cast<int64_t>(at->block * amalgam::hal_read(amalgam::REG_SUB_COUNT) + at->sub)
             : static_cast<int64_t>(at->block);
}
AMALGAM_INLINE int64_t GetBlockNum() { return amalgam::here()->blocks; }
AMALGAM_INLINE int64_t GetSubBlockIdx() { return amalgam::here()->sub; }
AMALGAM_INLINE int64_t GetSubBlockNum() { return static_cast<int64_t>(amalgam::hal_read(amalgam::REG_SUB_COUNT)); }
AMALGAM_INLINE int64_t GetTaskRation() { return GetSubBlockNum(); }
constexpr uint32_t GetUBSizeInBytes() { return amalgam::UB_BYTES; }
AMALGAM_INLINE constexpr uint32_t GetDataBlockSizeInBytes() { return 32; }

}  // namespace AscendC

namespace amalgam {

// All blocks run at once.
AMALGAM_INLINE void require_all_blocks() {
  const uint64_t subs = is_mixed || is_cube ? 1 : hal_read(REG_SUB_COUNT);
  require(here()->blocks == hal_read(REG_CORE_COUNT) * subs, PANIC_BLOCKS);
}

// This pipe of all cores of a kind meets.
AMALGAM_INLINE void meet_all(uint64_t pc, pipe on) {
  auto c = begin<cmd_sync_all_t>(OP_SYNC_ALL, on, pc);
  hal_push_sync_all(&c);
}

AMALGAM_INLINE void cross_set(uint64_t pc, pipe on, uint32_t flag) {
  auto c = begin<cmd_cross_set_t>(OP_CROSS_SET, on, pc);
  c.flag = flag;
  hal_push_cross_set(&c);
}
AMALGAM_INLINE void cross_wait(uint64_t pc, pipe on, uint32_t flag) {
  auto c = begin<cmd_cross_wait_t>(OP_CROSS_WAIT, on, pc);
  c.flag = flag;
  hal_push_cross_wait(&c);
}

enum { FLAGS_OF_SOURCE = 14, FLAG_OF_SYNC = 15 };

constexpr pipe last_pipe = is_cube ? PIPE_FIX : PIPE_MTE3;

}  // namespace amalgam

namespace AscendC {

// Each block waits for all others; they must all run at once.  Of a mixed kernel its vector cores, or also its cube
// cores, between which the vector cores meet.
template <bool isAIVOnly = true>
AMALGAM_INLINE void SyncAll() {
  const uint64_t pc = amalgam::hal_pc();
  amalgam::require_all_blocks();
  amalgam::meet(pc);
  if constexpr (isAIVOnly || !amalgam::is_mixed) {
    amalgam::meet_all(pc, amalgam::last_pipe);
  } else if constexpr (amalgam::is_cube) {
    amalgam::cross_wait(pc, amalgam::last_pipe, amalgam::FLAG_OF_SYNC);
    amalgam::meet_all(pc, amalgam::last_pipe);
    amalgam::cross_set(pc, amalgam::last_pipe, amalgam::FLAG_OF_SYNC);
  } else {
    amalgam::cross_set(pc, amalgam::last_pipe, amalgam::FLAG_OF_SYNC);
    amalgam::cross_wait(pc, amalgam::last_pipe, amalgam::FLAG_OF_SYNC);
  }
  amalgam::meet(pc);
}
template <bool isAIVOnly = true, typename T>
AMALGAM_INLINE void SyncAll(const GlobalTensor<T> &, const LocalTensor<T> &, int32_t = 0) {
  SyncAll<isAIVOnly>();
}

// Flags between cores.  Mode 2: from the cube core of a block to its vector cores, or from all of these to it; mode 0:
// all cores of a kind meet.  Mode 1, the vector cores of a block, is not there.  A flag is raised when its pipe's
// commands so far are done; a wait holds the pipe that it names, or the program and all that it goes on to do.
template <uint8_t modeId, pipe_t on>
AMALGAM_INLINE void CrossCoreSetFlag(uint16_t flag) {
  static_assert(modeId == 0 || modeId == 2, "CrossCoreSetFlag: modes 0 and 2 are there");
  const uint64_t pc = amalgam::hal_pc();
  amalgam::require(flag < amalgam::FLAGS_OF_SOURCE, amalgam::PANIC_FORM);
  if constexpr (modeId == 2) {
    amalgam::cross_set(pc, amalgam::pipe_of(on), flag);
  } else {
    amalgam::require_all_blocks();
    amalgam::meet_all(pc, amalgam::pipe_of(on));
    amalgam::here()->all_pipe[flag] = static_cast<uint8_t>(amalgam::pipe_of(on) + 1);
  }
}
template <uint8_t modeId = 0, pipe_t on = PIPE_S>
AMALGAM_INLINE void CrossCoreWaitFlag(uint16_t flag) {
  const uint64_t pc = amalgam::hal_pc();
  amalgam::require(flag < amalgam::FLAGS_OF_SOURCE, amalgam::PANIC_FORM);
  uint8_t &all = amalgam::here()->all_pipe[flag];
  if (all == 0) {
    amalgam::cross_wait(pc, amalgam::pipe_of(on), flag);
  } else if (all - 1 != amalgam::pipe_of(on)) {
    amalgam::order(pc, static_cast<amalgam::pipe>(all - 1), amalgam::pipe_of(on), amalgam::EVENT_AUTO);
  }
  all = 0;
}

}  // namespace AscendC

namespace amalgam {

// A block's flag in memory, of 32 bytes for each block and event: from one value to the next, as soon as it has it.
AMALGAM_INLINE void pass(uint64_t pc, uint64_t flags, int32_t block, int32_t event, uint64_t from, uint64_t to) {
  const uint64_t at =
      flags + (uint64_t{here()->blocks} * static_cast<uint32_t>(event) + static_cast<uint32_t>(block)) * 32;
  meet(pc);
  while (read_value(pc, at, 0, 4) != from) {
    clean_lines(pc, at);
  }
  write_value(pc, at, 0, 4, to);
  clean_lines(pc, at);
  meet(pc);
}

}  // namespace amalgam

namespace AscendC {

// One block raises a flag of its own, another waits for it and lowers it.  All of a block's commands are before and
// behind.  Between cores memory that is polled counts as a race (`--no-race-check`): nothing but the program orders it.
template <bool isAIVOnly = true>
AMALGAM_INLINE void IBSet(const GlobalTensor<int32_t> &flags, const LocalTensor<int32_t> &, int32_t block,
                          int32_t event) {
  amalgam::pass(amalgam::hal_pc(), flags.address(), block, event, 0, 1);
}
template <bool isAIVOnly = true>
AMALGAM_INLINE void IBWait(const GlobalTensor<int32_t> &flags, const LocalTensor<int32_t> &, int32_t block,
                           int32_t event) {
  amalgam::pass(amalgam::hal_pc(), flags.address(), block, event, 1, 0);
}

// Operations of memory in each type: sums of integers wrap; the largest and smallest are those of Max and Min.
template <typename T>
AMALGAM_INLINE constexpr uint32_t choose_atomic(uint32_t f32, uint32_t f16, uint32_t bf16, uint32_t s32, uint32_t s16,
                                                uint32_t s8) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> ||
                    std::is_same_v<T, int32_t> || std::is_same_v<T, int16_t> || std::is_same_v<T, int8_t>,
                "SetAtomic: of float, half, bfloat16_t, int32_t, int16_t and int8_t");
  return std::is_same_v<T, float>        ? f32
         : std::is_same_v<T, half>       ? f16
         : std::is_same_v<T, bfloat16_t> ? bf16
         : std::is_same_v<T, int32_t>    ? s32
         : std::is_same_v<T, int16_t>    ? s16
                                         : s8;
}
template <typename T>
AMALGAM_INLINE void SetAtomicAdd() {
  amalgam::here()->atomic = choose_atomic<T>(amalgam::GM_ADD_F32, amalgam::GM_ADD_F16, amalgam::GM_ADD_BF16,
                                             amalgam::GM_ADD_S32_RAW, amalgam::GM_ADD_S16, amalgam::GM_ADD_S8);
}
template <typename T>
AMALGAM_INLINE void SetAtomicType() {
  SetAtomicAdd<T>();
}
template <typename T>
AMALGAM_INLINE void SetAtomicMax() {
  amalgam::here()->atomic = choose_atomic<T>(amalgam::GM_MAX_F32, amalgam::GM_MAX_F16, amalgam::GM_MAX_BF16,
                                             amalgam::GM_MAX_S32, amalgam::GM_MAX_S16, amalgam::GM_MAX_S8);
}
template <typename T>
AMALGAM_INLINE void SetAtomicMin() {
  amalgam::here()->atomic = choose_atomic<T>(amalgam::GM_MIN_F32, amalgam::GM_MIN_F16, amalgam::GM_MIN_BF16,
                                             amalgam::GM_MIN_S32, amalgam::GM_MIN_S16, amalgam::GM_MIN_S8);
}
AMALGAM_INLINE void SetAtomicNone() { amalgam::here()->atomic = amalgam::GM_STORE; }

// The scalar core's cache: what GetValue of a GlobalTensor has read stays in it, and what SetValue has written.
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <typename T, CacheLine line, DcciDst where = DcciDst::CACHELINE_ALL>
AMALGAM_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor) {
  amalgam::clean_lines(amalgam::hal_pc(), line == CacheLine::ENTIRE_DATA_CACHE ? 0 : tensor.address());
}

}  // namespace AscendC

AMALGAM_INLINE int64_t get_block_idx() { return amalgam::here()->block; }
AMALGAM_INLINE int64_t get_block_num() { return AscendC::GetBlockNum(); }
AMALGAM_INLINE int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
AMALGAM_INLINE int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }

using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;

#endif
