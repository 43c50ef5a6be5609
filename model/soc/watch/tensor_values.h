// The elements of a tensor as files have them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_TENSOR_VALUES_H
#define AMALGAM_SOC_WATCH_TENSOR_VALUES_H

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "soc/soc.h"

namespace soc {

// The file type for elements of a type (core/tensor.h).
soc_dump_type_t dump_type(uint32_t type);

// Row after row.
std::vector<uint8_t> dump_values(const core_memory_t &memory, const core_tensor_t &tensor);

}  // namespace soc

#endif
