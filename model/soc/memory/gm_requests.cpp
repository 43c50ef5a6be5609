// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/gm_requests.h"

namespace soc {

atomic_rows::atomic_rows(const command_t &command) {
  if (command.header.opcode_ == OP_FIXPIPE) {
    const cmd_fixpipe_t &c = command.fixpipe;
    copy_out = nullptr;
    op = c.op;
    space = SPACE_L0C;
    from = c.l0c;
    from_pitch = (c.n + 15u) / 16 * 16 * 4;
    gm = c.gm - GM_BASE;
    gm_pitch = c.gm_pitch;
    rows = c.m;
    row_bytes = uint64_t{c.n} * 4;
  } else {
    const cmd_copy_out_t &c = command.copy_out;
    copy_out = &c;
    op = c.op;
    space = SPACE_UB;
    from = c.ub;
    from_pitch = c.op == GM_RESCALE ? 4 : c.ub_pitch;
    gm = c.gm - GM_BASE;
    gm_pitch = c.gm_pitch;
    rows = c.rows;
    row_bytes = c.row_bytes;
  }
}

}  // namespace soc
