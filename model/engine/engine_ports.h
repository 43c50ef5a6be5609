// Ports of a Verilated engine as bits: what engine_unit.cpp and engine_axi_unit.cpp share. build_unit.sh defines the
// engine's parameters: ENGINE_NAME, ENGINE_D, ENGINE_P, ENGINE_NQ, ENGINE_N.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_PORTS_H
#define AMALGAM_ENGINE_ENGINE_PORTS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace {

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
constexpr char TOP_NAME[] = TEXT(ENGINE_NAME);
constexpr size_t D = ENGINE_D;
constexpr size_t P = ENGINE_P;
constexpr size_t NQ = ENGINE_NQ;
constexpr size_t N = ENGINE_N;
constexpr size_t ELEMENT_BITS = 17;

constexpr size_t bits_for(size_t count) {
  size_t bits = 0;
  while ((size_t{1} << bits) < count) {
    ++bits;
  }
  return bits;
}

// A port of any width lies in memory as its bits, lowest first.
template <typename port>
uint8_t *bytes(port &pin) {
  return reinterpret_cast<uint8_t *>(&pin);
}

template <typename port>
void assign(port &pin, uint32_t value) {
  pin = static_cast<port>(value);
}

template <typename port>
void put(port &pin, size_t lsb, size_t width, uint64_t value) {
  uint8_t *memory = bytes(pin);
  for (size_t i = 0; i < width;) {
    const size_t at = (lsb + i) % 8;
    const size_t count = std::min<size_t>(8 - at, width - i);
    const unsigned mask = ((1u << count) - 1u) << at;
    uint8_t &byte = memory[(lsb + i) / 8];
    byte = static_cast<uint8_t>((byte & ~mask) | (((value >> i) << at) & mask));
    i += count;
  }
}

template <typename port>
uint32_t get(port &pin, size_t lsb, size_t width) {
  const uint8_t *memory = bytes(pin);
  uint32_t value = 0;
  for (size_t i = 0; i < width;) {
    const size_t at = (lsb + i) % 8;
    const size_t count = std::min<size_t>(8 - at, width - i);
    value |= ((memory[(lsb + i) / 8] >> at) & ((1u << count) - 1u)) << i;
    i += count;
  }
  return value;
}

}  // namespace

#endif  // AMALGAM_ENGINE_ENGINE_PORTS_H
