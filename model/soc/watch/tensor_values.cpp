// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/tensor_values.h"

namespace soc {

soc_dump_type_t dump_type(uint32_t type) {
  switch (type) {
    case TYPE_S32:
    case CORE_TYPE_U32:
      return SOC_DUMP_S32;
    case CORE_TYPE_U16:
      return SOC_DUMP_U16;
    case CORE_TYPE_U8:
      return SOC_DUMP_U8;
    case CORE_TYPE_BIT:
      return SOC_DUMP_BOOL;
    default:
      return SOC_DUMP_F32;  // which has every value of the other types
  }
}

namespace {

template <typename element>
void put(std::vector<uint8_t> &bytes, element value) {
  const auto *from = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

}  // namespace

std::vector<uint8_t> dump_values(const core_memory_t &memory, const core_tensor_t &tensor) {
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < tensor.rows * tensor.cols; ++i) {
    const double value = core_tensor_value(&memory, &tensor, i / tensor.cols, i % tensor.cols);
    switch (dump_type(tensor.type)) {
      case SOC_DUMP_S32:
        put(bytes, static_cast<int32_t>(static_cast<int64_t>(value)));
        break;
      case SOC_DUMP_U16:
        put(bytes, static_cast<uint16_t>(value));
        break;
      case SOC_DUMP_U8:
      case SOC_DUMP_BOOL:
        put(bytes, static_cast<uint8_t>(value));
        break;
      default:
        put(bytes, static_cast<float>(value));
    }
  }
  return bytes;
}

}  // namespace soc
