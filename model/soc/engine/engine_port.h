// An attention engine at its pins, one cycle of its clock at a time: the Verilog, or the C model of its
// control, which has the same handshakes and no data.
//
// Source: rtl/attention/README.md, "Ports".
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_ENGINE_ENGINE_PORT_H
#define AMALGAM_SOC_ENGINE_ENGINE_PORT_H

#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/engine_unit.h"

namespace soc {

class waves;

class engine_port {
 public:
  struct handshakes {
    bool group, mask, result;  // taken, taken, given
  };

  virtual ~engine_port() = default;
  // Has it data?  If not, what the pointers below point to is not looked at.
  virtual bool has_data() const = 0;
  // Sets the offer from now on, until it is taken; null: none.
  virtual void offer_group(const engine_group_t *group) = 0;
  virtual void offer_mask(const uint8_t *bits) = 0;  // [NQ,P]
  // One cycle; a row that is written in it, or null.  A result is always taken.  now: the cores' cycle, for
  // waveforms.
  virtual handshakes tick(const engine_row_t *row, uint64_t now) = 0;
  // The result that the cycle before has given: NQ triplets.
  virtual void result(num_triplet_t *triplets) = 0;
};

// Builds the Verilog of the shape if need be.  Its signals go to trace, if that is not null, under a
// name.  Throws std::runtime_error.
std::unique_ptr<engine_port> make_engine_rtl(const engine_shape_t &shape, const engine_progress_t &building,
                                             const std::string &name, waves *trace);
std::unique_ptr<engine_port> make_engine_c(const engine_shape_t &shape);

}  // namespace soc

#endif
