// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/gm_requests.h"

#include "core/tensor.h"

namespace soc {

atomic_rows::atomic_rows(const command_t &command, uint64_t origin) {
  if (command.header.opcode_ == OP_FIXPIPE) {
    const cmd_fixpipe_t &c = command.fixpipe;
    copy_out = nullptr;
    op = c.op;
    gm = c.gm - GM_BASE - origin;
    gm_pitch = c.gm_pitch;
    rows = c.m;
    row_bytes = uint64_t{c.n} * core_type_bits(c.type) / 8;
  } else {
    const cmd_copy_out_t &c = command.copy_out;
    copy_out = &c;
    op = c.op;
    gm = c.gm - GM_BASE - origin;
    gm_pitch = c.gm_pitch;
    rows = c.rows;
    row_bytes = c.row_bytes;
  }
}

}  // namespace soc
