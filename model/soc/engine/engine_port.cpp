// SPDX-License-Identifier: Apache-2.0
#include "soc/engine/engine_port.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "engine/engine_control.h"
#include "engine/engine_library.h"
#include "soc/watch/waves.h"

namespace soc {
namespace {

// --- the Verilog ------------------------------------------------------------------------------

class engine_rtl : public engine_port {
 public:
  engine_rtl(const engine_shape_t &shape, const engine_progress_t &building, const std::string &name, waves *trace)
      : d_(shape.num.d), queries_(shape.queries), elements_(queries_ * (d_ + 1)), triplets_(queries_), trace_(trace) {
    base_error_t reason;
    const engine_trace_t how = trace == nullptr      ? ENGINE_UNTRACED
                               : trace->everything() ? ENGINE_TRACE_ALL
                                                     : ENGINE_TRACE_OUTLINE;
    if (!engine_library_open(&shape, how, building, &library_, &reason)) {
      throw std::runtime_error(reason.text);
    }
    unit_ = api().create(name.c_str(), 0);
    if (trace_ != nullptr) {
      api().trace(unit_, &trace_->port(), engine_trace_bits(how));
      trace_->add_unit([this] { api().record(unit_, true, false); });
    }
    pins_ = api().pins(unit_);
    pins_->out_ready = true;
    for (size_t n = 0; n < queries_; ++n) {
      triplets_[n].o = elements_.data() + n * (d_ + 1);
    }
  }
  ~engine_rtl() override {
    api().destroy(unit_);
    engine_library_close(&library_);
  }

  bool has_data() const override { return true; }
  void offer_group(const engine_group_t *group) override {
    pins_->q_valid = group != nullptr;
    if (group != nullptr) {
      api().set_group(unit_, group);
    }
  }
  void offer_mask(const uint8_t *bits) override {
    pins_->mask_valid = bits != nullptr;
    if (bits != nullptr) {
      api().set_mask(unit_, bits);
    }
  }
  handshakes tick(const engine_row_t *row, uint64_t now) override {
    pins_->kv_valid = row != nullptr;
    if (row != nullptr) {
      api().set_row(unit_, row);
    }
    api().settle(unit_);
    if (trace_ != nullptr && trace_->unit_at(now)) {
      api().record(unit_, false, true);
    }
    const handshakes done = {pins_->q_valid && pins_->q_ready, pins_->mask_valid && pins_->mask_ready,
                             pins_->out_valid};
    if (done.result) {
      api().get_result(unit_, triplets_.data());
    }
    api().clock(unit_);
    return done;
  }
  void result(num_triplet_t *triplets) override {
    for (size_t n = 0; n < queries_; ++n) {
      triplets[n].m = triplets_[n].m;
      triplets[n].poison = triplets_[n].poison;
      std::copy_n(triplets_[n].o, d_ + 1, triplets[n].o);
    }
  }

 private:
  const engine_unit_api_t &api() const { return *library_.api; }

  size_t d_, queries_;
  engine_library_t library_{};
  engine_unit_t *unit_ = nullptr;
  engine_pins_t *pins_ = nullptr;
  std::vector<num_element_t> elements_;
  std::vector<num_triplet_t> triplets_;
  waves *trace_;
};

// --- its control in C -------------------------------------------------------------------------

class engine_c : public engine_port {
 public:
  explicit engine_c(const engine_shape_t &shape) : control_(engine_control_new(shape.num.d, shape.num.blocks)) {
    if (control_ == nullptr) {
      throw std::runtime_error("out of memory");
    }
    inputs_.out_ready = true;
  }
  ~engine_c() override { engine_control_delete(control_); }

  bool has_data() const override { return false; }
  void offer_group(const engine_group_t *group) override {
    inputs_.q_valid = group != nullptr;
    if (group != nullptr) {
      inputs_.rows = group->rows;
      inputs_.carry = group->carry != nullptr;
      inputs_.use_mask = group->use_mask;
    }
  }
  void offer_mask(const uint8_t *bits) override { inputs_.mask_valid = bits != nullptr; }
  handshakes tick(const engine_row_t *, uint64_t) override {
    const engine_outputs_t outputs = engine_control_cycle(control_, &inputs_);
    return {inputs_.q_valid && outputs.q_ready, inputs_.mask_valid && outputs.mask_ready, outputs.out_valid};
  }
  void result(num_triplet_t *) override {}

 private:
  engine_control_t *control_;
  engine_inputs_t inputs_{};
};

}  // namespace

std::unique_ptr<engine_port> make_engine_rtl(const engine_shape_t &shape, const engine_progress_t &building,
                                             const std::string &name, waves *trace) {
  return std::make_unique<engine_rtl>(shape, building, name, trace);
}

std::unique_ptr<engine_port> make_engine_c(const engine_shape_t &shape) { return std::make_unique<engine_c>(shape); }

}  // namespace soc
