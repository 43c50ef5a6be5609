// Verilator's FST trace classes, writing to a waves_port_t instead of a file of their own.
//
// Units in several shared libraries, each with its own copy of Verilator's runtime, can thus write to
// one file, in binary and without a compressor in the simulation's thread.  It has the names and the
// interface of Verilator's verilated_fst_c.h and takes its place: compile a unit's generated sources
// with `-include waves/verilated_waves.h`, and verilated_waves.cpp for verilated_fst_c.cpp.
//
// A cycle is written once, when all signals have settled after the inputs were set, as what they are
// from the clock's rising edge on.  Signals named clk_i are drawn as waves_port.h says.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_VERILATED_WAVES_H
#define AMALGAM_WAVES_VERILATED_WAVES_H

// Generated code includes Verilator's header of these classes: it finds this one in its place.
#define VERILATOR_VERILATED_FST_C_H_

#include <gtkwave/fstapi.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "verilated.h"
#include "verilated_trace.h"
#include "waves/waves_port.h"

class VerilatedFst;
class VerilatedFstBuffer;
using verilated_trace = VerilatedTrace<VerilatedFst, VerilatedFstBuffer>;

// Verilators differ in parameters, in who keeps the names of the scopes that a signal is in, and in whether constants
// are signals apart.  Tried: 5.006 and 5.032.
#if VERILATOR_VERSION_INTEGER < 5018000

#define VERILATED_SIGNAL uint32_t code, const char *name, int, fstVarDir dir, fstVarType, bool array, int index
#define VERILATED_BUFFER

template <>
bool verilated_trace::declCode(uint32_t code, const char *name, uint32_t bits, bool tri);

class verilated_names : public verilated_trace {
 protected:
  void declare_code(uint32_t code, const char *name, uint32_t bits) { declCode(code, name, bits, false); }
  void dump_all() { fullDump(true); }
};

#else

#define VERILATED_SIGNAL                                                                                 \
  uint32_t code, uint32_t, const char *name, int, VerilatedTraceSigDirection dir, VerilatedTraceSigKind, \
      VerilatedTraceSigType, bool array, int index
#define VERILATED_BUFFER uint32_t

template <>
bool verilated_trace::declCode(uint32_t code, const std::string &name, uint32_t bits);

class verilated_names : public verilated_trace {
 public:
  void pushPrefix(const std::string &name, VerilatedTracePrefixType kind) {
    const bool array =
        kind == VerilatedTracePrefixType::ARRAY_PACKED || kind == VerilatedTracePrefixType::ARRAY_UNPACKED;
    prefixes_.push_back(prefixes_.back() + name + (array ? "" : " "));
  }
  void popPrefix() { prefixes_.pop_back(); }

 protected:
  const std::string &namePrefix() const { return prefixes_.back(); }
  void declare_code(uint32_t code, const char *name, uint32_t bits) { declCode(code, namePrefix() + name, bits); }
  void dump_all() {
    fullDump(true);
    constDump(true);
  }

 private:
  std::vector<std::string> prefixes_{""};
};

#endif

#if VERILATOR_VERSION_INTEGER < 5024000
struct VerilatedTraceBaseC {
  virtual bool isOpen() const = 0;
};
#endif

class VerilatedFst final : public verilated_names {
 public:
  using Super = verilated_trace;

  VerilatedFst();
  ~VerilatedFst();
  // After the models' trace(): declares their signals of up to so many bits.
  void connect(const waves_port_t &port, unsigned most_bits);
  // Writes what has changed in the port's current cycle; all signals, if asked for.  clocked: the clock
  // runs in it, else it stands low.
  void record(bool all, bool clocked);
  bool isOpen() const { return port_ != nullptr; }

  // --- for generated code and VerilatedTrace ---
  void close() {}
  void flush() {}
  void declEvent(VERILATED_SIGNAL) { declare(code, name, direction(dir), array, index, false, 0, 0); }
  void declBit(VERILATED_SIGNAL) { declare(code, name, direction(dir), array, index, false, 0, 0); }
  void declBus(VERILATED_SIGNAL, int msb, int lsb) {
    declare(code, name, direction(dir), array, index, true, msb, lsb);
  }
  void declQuad(VERILATED_SIGNAL, int msb, int lsb) {
    declare(code, name, direction(dir), array, index, true, msb, lsb);
  }
  void declArray(VERILATED_SIGNAL, int msb, int lsb) {
    declare(code, name, direction(dir), array, index, true, msb, lsb);
  }
  void declDouble(VERILATED_SIGNAL) { declare(code, name, direction(dir), array, index, false, 63, 0); }
  void declDTypeEnum(int, const char *, uint32_t, unsigned, const char **, const char **) {}

 protected:
  void emitTimeChange(uint64_t) override {}
  bool preFullDump() override { return isOpen(); }
  bool preChangeDump() override { return isOpen(); }
  Buffer *getTraceBuffer(VERILATED_BUFFER) override;
  void commitTraceBuffer(Buffer *buffer) override;
  void configure(const VerilatedTraceConfig &) override {}

 private:
  friend VerilatedFstBuffer;
  void declare(uint32_t code, const char *name, fstVarDir dir, bool array, int index, bool bus, int msb, int lsb);
  // All Verilators number directions as FST does.
  template <class Direction>
  static fstVarDir direction(Direction of) {
    return static_cast<fstVarDir>(of);
  }

  const waves_port_t *port_ = nullptr;
  unsigned most_bits_ = 0;
  std::vector<uint32_t> signals_;  // by code, 0: not traced
  std::vector<uint32_t> clocks_;
  size_t words_ = 0;  // of all signals changing at once
  uint32_t *write_ = nullptr;
  uint64_t dumps_ = 0;
};

// Specialised in verilated_trace_imp.h.
template <>
void VerilatedFst::Super::dump(uint64_t time);
template <>
void VerilatedFst::Super::set_time_unit(const char *unit);
template <>
void VerilatedFst::Super::set_time_unit(const std::string &unit);
template <>
void VerilatedFst::Super::set_time_resolution(const char *unit);
template <>
void VerilatedFst::Super::set_time_resolution(const std::string &unit);
template <>
void VerilatedFst::Super::dumpvars(int level, const std::string &scope);

class VerilatedFstBuffer {
  friend VerilatedFst;
  friend VerilatedFst::Super;
  friend VerilatedFst::Buffer;
  friend VerilatedFst::OffloadBuffer;

  VerilatedFst &m_owner;  // a name that VerilatedTraceBuffer asks for

  explicit VerilatedFstBuffer(VerilatedFst &owner) : m_owner{owner} {}
  virtual ~VerilatedFstBuffer() = default;

  void put(uint32_t code, uint32_t value) {
    uint32_t *to = m_owner.write_;
    to[0] = m_owner.signals_[code];
    to[1] = value;
    m_owner.write_ = to + 2;
  }
  template <class... Value>
  void emitEvent(uint32_t, Value...) {}
  VL_ATTR_ALWINLINE void emitBit(uint32_t code, CData value) { put(code, value); }
  VL_ATTR_ALWINLINE void emitCData(uint32_t code, CData value, int) { put(code, value); }
  VL_ATTR_ALWINLINE void emitSData(uint32_t code, SData value, int) { put(code, value); }
  VL_ATTR_ALWINLINE void emitIData(uint32_t code, IData value, int) { put(code, value); }
  VL_ATTR_ALWINLINE void emitQData(uint32_t code, QData value, int) {
    put(code, static_cast<uint32_t>(value));
    *m_owner.write_++ = static_cast<uint32_t>(value >> 32);
  }
  VL_ATTR_ALWINLINE void emitWData(uint32_t code, const WData *value, int bits) {
    uint32_t *to = m_owner.write_;
    *to++ = m_owner.signals_[code];
    std::memcpy(to, value, sizeof *to * static_cast<size_t>(VL_WORDS_I(bits)));
    m_owner.write_ = to + VL_WORDS_I(bits);
  }
  VL_ATTR_ALWINLINE void emitDouble(uint32_t code, double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    emitQData(code, bits, 64);
  }
};

// The type that a model's trace() takes.
class VerilatedFstC final : public VerilatedTraceBaseC {
 public:
  bool isOpen() const override { return trace_.isOpen(); }
  VerilatedFst *spTrace() { return &trace_; }
  void connect(const waves_port_t &port, unsigned most_bits) { trace_.connect(port, most_bits); }
  void record(bool all, bool clocked) { trace_.record(all, clocked); }

 private:
  VerilatedFst trace_;
};

#endif
