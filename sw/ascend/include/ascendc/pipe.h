// TPipe, TQue, TQueBind and TBuf: who owns which part of a memory, and the flags between those that fill it and those
// that empty it.
//
// A queue's buffers are passed on by flags, one event a buffer: "full" from its producer to its consumer (EnQue,
// DeQue), "free" back (FreeTensor, AllocTensor).  VECIN: MTE2 to V; VECOUT: V to MTE3; TQueBind<VECIN, VECOUT>: MTE2 to
// MTE3; A1, B1 and C1: MTE2 to MTE1; A2 and B2: MTE1 to M; CO1: M to FIX.  A queue between V and V needs none.  Flags
// "free" that nobody waits for are lowered when the kernel ends.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_PIPE_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_PIPE_H

#include "ascendc/tensor.h"

namespace amalgam {

constexpr pipe producer_of(queue_pair pair) {
  return pair == V_TO_MTE3 ? PIPE_V : pair == MTE1_TO_M ? PIPE_MTE1 : pair == M_TO_FIX ? PIPE_M : PIPE_MTE2;
}
constexpr pipe consumer_of(queue_pair pair) {
  constexpr pipe consumers[QUEUE_PAIRS] = {PIPE_V, PIPE_MTE3, PIPE_MTE3, PIPE_MTE1, PIPE_M, PIPE_FIX};
  return consumers[pair];
}

inline uint32_t take(memory where, uint64_t bytes) {
  context *at = here();
  const uint32_t from = at->taken[where];
  require(bytes <= memory_bytes[where] - from, where == IN_UB ? PANIC_UB : PANIC_BUFFERS);
  at->taken[where] = from + static_cast<uint32_t>(round_up(bytes, BLOCK));
  return where << MEMORY_BIT | from;
}
inline void give_back_all() {
  for (uint32_t &taken : here()->taken) {
    taken = 0;
  }
}

// What a kernel leaves up at its end: flags of free buffers.
inline void lower_free(uint64_t pc) {
  context *at = here();
  for (uint32_t pair = 0; pair < QUEUE_PAIRS; ++pair) {
    const auto which = static_cast<queue_pair>(pair);
    for (uint32_t event = EVENTS_OF_QUEUES; at->is_free[pair] != 0; ++event) {
      if ((at->is_free[pair] >> event & 1) != 0) {
        wait_flag(pc, consumer_of(which), producer_of(which), event);
        at->is_free[pair] &= ~(1u << event);
      }
    }
  }
}

}  // namespace amalgam

namespace AscendC {

class TPipe;

template <TPosition from, TPosition to, int32_t depth = 1>
class TQueBind {
 public:
  static constexpr TPosition srcPosition = from, dstPosition = to;

  template <typename T>
  AMALGAM_INLINE LocalTensor<T> AllocTensor() {
    const uint64_t pc = amalgam::hal_pc();
    const uint32_t buffer = take();
    if constexpr (has_flags) {
      amalgam::context *at = amalgam::here();
      const uint32_t event = event_ + buffer;
      if ((at->is_free[pair] >> event & 1) != 0) {
        amalgam::wait_flag(pc, consumer, producer, event);
        at->is_free[pair] &= ~(1u << event);
      }
    }
    return LocalTensor<T>(base_ + buffer * bytes_, bytes_ / static_cast<uint32_t>(sizeof(T)), buffer);
  }
  template <typename T>
  AMALGAM_INLINE void AllocTensor(LocalTensor<T> &tensor) {
    tensor = AllocTensor<T>();
  }
  template <typename T>
  AMALGAM_INLINE bool EnQue(const LocalTensor<T> &tensor) {
    const uint64_t pc = amalgam::hal_pc();
    if constexpr (has_flags) {
      amalgam::set_flag(pc, producer, consumer, event_ + tensor.buffer());
    }
    amalgam::require(queued_ < count_, amalgam::PANIC_QUEUE);
    order_ |= static_cast<uint64_t>(tensor.buffer()) << 4 * queued_;
    ++queued_;
    return true;
  }
  template <TPosition, TPosition, typename T>
  AMALGAM_INLINE bool EnQue(const LocalTensor<T> &tensor) {
    return EnQue(tensor);
  }
  template <typename T>
  AMALGAM_INLINE LocalTensor<T> DeQue() {
    const uint64_t pc = amalgam::hal_pc();
    amalgam::require(queued_ > 0, amalgam::PANIC_QUEUE);
    const auto buffer = static_cast<uint32_t>(order_ & 15);
    order_ >>= 4;
    --queued_;
    if constexpr (has_flags) {
      amalgam::wait_flag(pc, producer, consumer, event_ + buffer);
    }
    return LocalTensor<T>(base_ + buffer * bytes_, bytes_ / static_cast<uint32_t>(sizeof(T)), buffer);
  }
  template <TPosition, TPosition, typename T>
  AMALGAM_INLINE LocalTensor<T> DeQue() {
    return DeQue<T>();
  }
  template <typename T>
  AMALGAM_INLINE void DeQue(LocalTensor<T> &tensor) {
    tensor = DeQue<T>();
  }
  template <typename T>
  AMALGAM_INLINE void FreeTensor(const LocalTensor<T> &tensor) {
    const uint64_t pc = amalgam::hal_pc();
    if constexpr (has_flags) {
      amalgam::context *at = amalgam::here();
      const uint32_t event = event_ + tensor.buffer();
      amalgam::set_flag(pc, consumer, producer, event);
      at->is_free[pair] |= 1u << event;
    }
    busy_ &= ~(1u << tensor.buffer());
  }
  template <typename T>
  AMALGAM_INLINE void FreeAllEvent() {}
  AMALGAM_INLINE void FreeAllEvent() {}
  AMALGAM_INLINE bool HasTensorInQue() const { return queued_ > 0; }
  AMALGAM_INLINE bool VacantInQue() const { return queued_ < count_; }
  AMALGAM_INLINE bool HasIdleBuffer() const { return busy_ != (1u << count_) - 1; }
  AMALGAM_INLINE int32_t GetTensorCountInQue() const { return static_cast<int32_t>(queued_); }

 private:
  friend class TPipe;
  static constexpr bool is_in(TPosition at) { return at == TPosition::VECIN; }
  static constexpr bool is_out(TPosition at) { return at == TPosition::VECOUT; }
  static constexpr amalgam::memory where = amalgam::memory_at(from == TPosition::GM ? to : from);
  static constexpr bool has_flags = where != amalgam::IN_UB || (is_in(from) && to != TPosition::VECIN) || is_out(to);
  static_assert(from != TPosition::C2 && from != TPosition::CO2 && from != TPosition::C2PIPE2GM,
                "TQue: the chip's bias table, CO2 and C2PIPE2GM are not there");
  static constexpr amalgam::queue_pair pair = where == amalgam::IN_L1                ? amalgam::MTE2_TO_MTE1
                                              : where == amalgam::IN_L0C             ? amalgam::M_TO_FIX
                                              : where != amalgam::IN_UB              ? amalgam::MTE1_TO_M
                                              : !is_out(to)                          ? amalgam::MTE2_TO_V
                                              : is_in(from) || from == TPosition::GM ? amalgam::MTE2_TO_MTE3
                                                                                     : amalgam::V_TO_MTE3;
  static constexpr amalgam::pipe producer = amalgam::producer_of(pair), consumer = amalgam::consumer_of(pair);

  // The next free one of the ring.
  AMALGAM_INLINE uint32_t take() {
    uint32_t buffer = next_;
    for (uint32_t tried = 0; (busy_ >> buffer & 1) != 0; ++tried) {
      amalgam::require(tried < count_, amalgam::PANIC_QUEUE);
      buffer = buffer + 1 < count_ ? buffer + 1 : 0;
    }
    busy_ |= 1u << buffer;
    next_ = static_cast<uint8_t>(buffer + 1 < count_ ? buffer + 1 : 0);
    return buffer;
  }
  void open(uint32_t count, uint64_t bytes) {
    amalgam::context *at = amalgam::here();
    amalgam::require(count >= 1 && count <= 16, amalgam::PANIC_QUEUE);
    bytes_ = static_cast<uint32_t>(amalgam::round_up(bytes, amalgam::BLOCK));
    base_ = amalgam::take(where, static_cast<uint64_t>(count) * bytes_);
    if (has_flags && count > count_) {
      event_ = amalgam::EVENTS_OF_QUEUES + at->events[pair];
      at->events[pair] += count;
      amalgam::require(event_ + count <= amalgam::EVENT_UNIT, amalgam::PANIC_EVENTS);
    }
    count_ = static_cast<uint8_t>(count);
    order_ = busy_ = 0;
    queued_ = next_ = 0;
  }

  uint64_t order_ = 0;  // buffers that wait for DeQue, 4 bits each, the next one lowest
  uint32_t base_ = 0, bytes_ = 0, event_ = 0;
  uint32_t busy_ = 0;
  uint8_t count_ = 0, queued_ = 0, next_ = 0;
};

// The other end of a queue that has one position.
constexpr TPosition amalgam_end(TPosition at) {
  return at == TPosition::VECIN ? TPosition::VECCALC : at == TPosition::VECOUT ? TPosition::VECOUT : at;
}
constexpr TPosition amalgam_begin(TPosition at) { return at == TPosition::VECOUT ? TPosition::VECCALC : at; }

template <TPosition position, int32_t depth = 1, auto mask = 0>
class TQue : public TQueBind<amalgam_begin(position), amalgam_end(position), depth> {};

template <TPosition position = TPosition::VECCALC>
class TBuf {
 public:
  template <typename T>
  AMALGAM_INLINE LocalTensor<T> Get() const {
    return LocalTensor<T>(base_, bytes_ / static_cast<uint32_t>(sizeof(T)));
  }
  template <typename T>
  AMALGAM_INLINE LocalTensor<T> Get(uint32_t elements) const {
    return LocalTensor<T>(base_, elements);
  }
  template <typename T>
  AMALGAM_INLINE LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t bytes) const {
    return LocalTensor<T>(base_ + bytes, elements);
  }
  template <typename T>
  AMALGAM_INLINE LocalTensor<T> AllocTensor() const {
    return Get<T>();
  }
  template <typename T>
  AMALGAM_INLINE void FreeTensor(const LocalTensor<T> &) const {}

 private:
  friend class TPipe;
  static_assert(position != TPosition::C2 && position != TPosition::CO2 && position != TPosition::C2PIPE2GM,
                "TBuf: the chip's bias table, CO2 and C2PIPE2GM are not there");
  uint32_t base_ = 0, bytes_ = 0;
};

class TPipe {
 public:
  AMALGAM_INLINE TPipe() { Init(); }
  TPipe(const TPipe &) = delete;
  TPipe &operator=(const TPipe &) = delete;

  AMALGAM_INLINE void Init() {
    amalgam::here()->pipe = this;
    amalgam::give_back_all();
  }
  template <TPosition from, TPosition to, int32_t depth>
  AMALGAM_INLINE bool InitBuffer(TQueBind<from, to, depth> &queue, uint32_t count, uint64_t bytes) {
    queue.open(count, bytes);
    return true;
  }
  template <TPosition position>
  AMALGAM_INLINE bool InitBuffer(TBuf<position> &buffer, uint64_t bytes) {
    buffer.bytes_ = static_cast<uint32_t>(amalgam::round_up(bytes, amalgam::BLOCK));
    buffer.base_ = amalgam::take(amalgam::memory_at(position), bytes);
    return true;
  }
  // All of UB may be given away once more, to what is ordered behind all commands so far.
  AMALGAM_INLINE void Reset() {
    const uint64_t pc = amalgam::hal_pc();
    amalgam::lower_free(pc);
    amalgam::meet(pc);
    amalgam::give_back_all();
    for (uint32_t &events : amalgam::here()->events) {
      events = 0;
    }
  }
  AMALGAM_INLINE void Destroy() { Reset(); }
  // An event of these pipes that AllocEventID has not taken; it may be anybody's the next time.
  AMALGAM_INLINE TEventID FetchEventID(HardEvent event) {
    const uint32_t taken = amalgam::here()->event_ids[index(event) / 4] >> index(event) % 4 * 8 & 255;
    TEventID id = 0;
    while (id < 7 && (taken >> id & 1) != 0) {
      ++id;
    }
    return id;
  }
  template <HardEvent event>
  AMALGAM_INLINE TEventID FetchEventID() {
    return FetchEventID(event);
  }
  template <HardEvent event>
  AMALGAM_INLINE TEventID AllocEventID() {
    const TEventID id = FetchEventID(event);
    amalgam::here()->event_ids[index(event) / 4] |= 1u << (index(event) % 4 * 8 + static_cast<uint32_t>(id));
    return id;
  }
  template <HardEvent event>
  AMALGAM_INLINE void ReleaseEventID(TEventID id) {
    amalgam::here()->event_ids[index(event) / 4] &= ~(1u << (index(event) % 4 * 8 + static_cast<uint32_t>(id)));
  }

 private:
  static constexpr uint32_t index(HardEvent event) { return static_cast<uint32_t>(event); }
  static_assert(static_cast<uint32_t>(HardEvent::MAX) <= 64);
};

}  // namespace AscendC

AMALGAM_INLINE AscendC::TPipe *GetTPipePtr() { return static_cast<AscendC::TPipe *>(amalgam::here()->pipe); }

#endif
