// Blocks, and what orders cores: SyncAll, cross-core flags, atomic stores.
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
#define KERNEL_TASK_TYPE_DEFAULT(type) (void)(type)
#define KERNEL_TASK_TYPE(key, type) (void)(type)
#define REGISTER_TILING_DEFAULT(type)
#define ASCEND_IS_AIV (true)
#define ASCEND_IS_AIC (false)
#define ASCEND_IS_NOT_AIV (false)
#define ASCEND_IS_NOT_AIC (true)

namespace AscendC {

AMALGAM_INLINE int64_t GetBlockIdx() { return amalgam::here()->block; }
AMALGAM_INLINE int64_t GetBlockNum() { return amalgam::here()->blocks; }
AMALGAM_INLINE int64_t GetSubBlockIdx() { return amalgam::here()->sub; }
AMALGAM_INLINE int64_t GetSubBlockNum() { return static_cast<int64_t>(amalgam::hal_read(amalgam::REG_SUB_COUNT)); }
AMALGAM_INLINE int64_t GetTaskRation() { return GetSubBlockNum(); }
constexpr uint32_t GetUBSizeInBytes() { return amalgam::UB_BYTES; }
AMALGAM_INLINE constexpr uint32_t GetDataBlockSizeInBytes() { return 32; }

// Each block waits for all others; they must all run at once.
template <bool isAIVOnly = true>
AMALGAM_INLINE void SyncAll() {
  const uint64_t pc = amalgam::hal_pc();
  const uint64_t cores = amalgam::hal_read(amalgam::REG_CORE_COUNT) * amalgam::hal_read(amalgam::REG_SUB_COUNT);
  amalgam::require(amalgam::here()->blocks * amalgam::here()->each == cores, amalgam::PANIC_BLOCKS);
  amalgam::meet(pc);
  auto c = amalgam::begin<amalgam::cmd_sync_all_t>(amalgam::OP_SYNC_ALL, amalgam::PIPE_MTE3, pc);
  amalgam::hal_push_sync_all(&c);
  amalgam::meet(pc);
}
template <bool isAIVOnly = true, typename T>
AMALGAM_INLINE void SyncAll(const GlobalTensor<T> &, const LocalTensor<T> &, int32_t = 0) {
  SyncAll<isAIVOnly>();
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

template <typename T>
AMALGAM_INLINE void SetAtomicAdd() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, int32_t>,
                "SetAtomicAdd: memory adds float and int32_t; other types are not there");
  amalgam::here()->atomic = std::is_same_v<T, float> ? amalgam::GM_ADD_F32 : amalgam::GM_ADD_S32_RAW;
}
template <typename T>
AMALGAM_INLINE void SetAtomicType() {
  SetAtomicAdd<T>();
}
template <typename T>
AMALGAM_INLINE void SetAtomicMax() {
  static_assert(sizeof(T) == 0, "SetAtomicMax: memory adds; the largest of two is not there");
}
template <typename T>
AMALGAM_INLINE void SetAtomicMin() {
  static_assert(sizeof(T) == 0, "SetAtomicMin: memory adds; the smallest of two is not there");
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

AMALGAM_INLINE int64_t get_block_idx() { return amalgam::here()->number; }
AMALGAM_INLINE int64_t get_block_num() { return AscendC::GetBlockNum(); }
AMALGAM_INLINE int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
AMALGAM_INLINE int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }

using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;

#endif
