// The contents of a standing machine's memories: who wrote there, and numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_INSPECT_VALUES_H
#define AMALGAM_SOC_INSPECT_VALUES_H

#include "soc/inspect/look.h"
#include "soc/watch/tensor_book.h"

namespace soc {

// Requests are words; all throw std::runtime_error, with a line, if one makes no sense.
class values : public look {
 public:
  explicit values(machine &machine) : look(machine) {}
  // Throws if there are none.
  void need_values() const;
  void check_show(const words &request) const { find_place(request, ""); }
  // tensors [CORE]
  std::string tensors(const words &request, const std::string &here) const;
  // show [CORE.]MEMORY ADDRESS [ROWSxCOLS TYPE [rows|strips] [pitch BYTES]]
  std::string show(const words &request, const std::string &here) const;

 private:
  struct place {
    core_unit *core;  // that sees it
    core_space_t space;
    core_tensor_t tensor;  // as asked for; rows 0: as it was written last
  };
  place find_place(const words &request, const std::string &here) const;
  void take_layout(place &where, const words &request) const;
  uint64_t find_address(const core_unit &core, core_space_t space, const std::string &text) const;
  std::string gm_name(uint64_t address) const;
  std::string tensors_of(const core_unit &core, core_space_t space) const;
  std::string writer_of(const tensor_book::entry &e) const;
};

}  // namespace soc

#endif
