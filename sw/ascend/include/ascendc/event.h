// Flags between the pipes of a core: SetFlag, WaitFlag, PipeBarrier, and the events that TPipe gives out.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_EVENT_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_EVENT_H

#include "ascendc/machine.h"

enum pipe_t {
  PIPE_S,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_ALL,
  PIPE_MTE4,
  PIPE_MTE5,
  PIPE_V2,
  PIPE_FIX
};
enum event_t : int32_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC {

using TEventID = int32_t;

// HARD_EVENT(FROM, TO)
#define AMALGAM_HARD_EVENTS(HARD_EVENT) \
  HARD_EVENT(MTE2, MTE1)                \
  HARD_EVENT(MTE1, MTE2)                \
  HARD_EVENT(MTE1, M)                   \
  HARD_EVENT(M, MTE1)                   \
  HARD_EVENT(MTE2, V)                   \
  HARD_EVENT(V, MTE2)                   \
  HARD_EVENT(MTE3, V)                   \
  HARD_EVENT(V, MTE3)                   \
  HARD_EVENT(M, V)                      \
  HARD_EVENT(V, M)                      \
  HARD_EVENT(V, V)                      \
  HARD_EVENT(MTE3, MTE1)                \
  HARD_EVENT(MTE1, MTE3)                \
  HARD_EVENT(MTE1, V)                   \
  HARD_EVENT(MTE2, M)                   \
  HARD_EVENT(M, MTE2)                   \
  HARD_EVENT(V, MTE1)                   \
  HARD_EVENT(M, FIX)                    \
  HARD_EVENT(FIX, M)                    \
  HARD_EVENT(MTE3, MTE2)                \
  HARD_EVENT(MTE2, MTE3)                \
  HARD_EVENT(S, V)                      \
  HARD_EVENT(V, S)                      \
  HARD_EVENT(S, MTE2)                   \
  HARD_EVENT(MTE2, S)                   \
  HARD_EVENT(S, MTE3)                   \
  HARD_EVENT(MTE3, S)                   \
  HARD_EVENT(MTE2, FIX)                 \
  HARD_EVENT(FIX, MTE2)                 \
  HARD_EVENT(FIX, S)                    \
  HARD_EVENT(M, S)                      \
  HARD_EVENT(FIX, MTE3)                 \
  HARD_EVENT(FIX, MTE1)                 \
  HARD_EVENT(MTE1, FIX)                 \
  HARD_EVENT(FIX, FIX)

enum class HardEvent : uint8_t {
#define AMALGAM_ROW(FROM, TO) FROM##_##TO,
  AMALGAM_HARD_EVENTS(AMALGAM_ROW)
#undef AMALGAM_ROW
      MAX
};

}  // namespace AscendC

namespace amalgam {

struct hard_event {
  pipe_t from, to;
};
constexpr hard_event hard_events[] = {
#define AMALGAM_ROW(FROM, TO) {::PIPE_##FROM, ::PIPE_##TO},
    AMALGAM_HARD_EVENTS(AMALGAM_ROW)
#undef AMALGAM_ROW
};

// One that the core has not is refused by the machine, at the source's line.
constexpr pipe pipe_of(pipe_t on) {
  switch (on) {
    case ::PIPE_S:
      return PIPE_S;
    case ::PIPE_MTE1:
      return PIPE_MTE1;
    case ::PIPE_MTE2:
      return PIPE_MTE2;
    case ::PIPE_MTE3:
      return PIPE_MTE3;
    case ::PIPE_M:
      return PIPE_M;
    case ::PIPE_FIX:
      return PIPE_FIX;
    default:
      return PIPE_V;
  }
}

AMALGAM_INLINE void barrier_of(uint64_t pc, pipe_t on) {
  if (on == ::PIPE_ALL) {
    meet(pc);
  } else if (on != ::PIPE_S) {
    barrier(pc, pipe_of(on));
  }
}

}  // namespace amalgam

namespace AscendC {

template <HardEvent event>
AMALGAM_INLINE void SetFlag(int32_t id) {
  constexpr amalgam::hard_event e = amalgam::hard_events[static_cast<int>(event)];
  amalgam::set_flag(amalgam::hal_pc(), amalgam::pipe_of(e.from), amalgam::pipe_of(e.to), static_cast<uint32_t>(id));
}

template <HardEvent event>
AMALGAM_INLINE void WaitFlag(int32_t id) {
  constexpr amalgam::hard_event e = amalgam::hard_events[static_cast<int>(event)];
  amalgam::wait_flag(amalgam::hal_pc(), amalgam::pipe_of(e.from), amalgam::pipe_of(e.to), static_cast<uint32_t>(id));
}

template <pipe_t on>
AMALGAM_INLINE void PipeBarrier() {
  amalgam::barrier_of(amalgam::hal_pc(), on);
}

}  // namespace AscendC

// The same as intrinsic functions.
AMALGAM_INLINE void set_flag(pipe_t from, pipe_t to, int32_t event) {
  amalgam::set_flag(amalgam::hal_pc(), amalgam::pipe_of(from), amalgam::pipe_of(to), static_cast<uint32_t>(event));
}
AMALGAM_INLINE void wait_flag(pipe_t from, pipe_t to, int32_t event) {
  amalgam::wait_flag(amalgam::hal_pc(), amalgam::pipe_of(from), amalgam::pipe_of(to), static_cast<uint32_t>(event));
}
AMALGAM_INLINE void pipe_barrier(pipe_t on) { amalgam::barrier_of(amalgam::hal_pc(), on); }

#endif
