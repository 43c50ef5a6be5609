// SPDX-License-Identifier: Apache-2.0
#include "waves/verilated_waves.h"

#define VL_SUB_T VerilatedFst
#define VL_BUF_T VerilatedFstBuffer
#include "verilated_trace_imp.h"
#undef VL_SUB_T
#undef VL_BUF_T

VerilatedFst::VerilatedFst() = default;
VerilatedFst::~VerilatedFst() = default;

void VerilatedFst::connect(const waves_port_t &port, unsigned most_bits) {
  port_ = &port;
  most_bits_ = most_bits;
  traceInit();
  signals_.resize(nextCode());
  // One bit a code says whether VerilatedTrace asks for its changes; it frees them.
  m_sigs_enabledp = new EData[1 + VL_WORDS_I(nextCode())]{};
  for (uint32_t code = 0; code < nextCode(); ++code) {
    if (signals_[code] != 0) {
      m_sigs_enabledp[VL_BITWORD_I(code)] |= 1u << VL_BITBIT_I(code);
    }
  }
}

void VerilatedFst::record(bool all, bool clocked) {
  if (all) {
    dump_all();
  }
  write_ = port_->room(port_->waves, words_ + 2 * clocks_.size());
  if (write_ == nullptr) {
    return;
  }
  dump(++dumps_);
  for (const uint32_t clock : clocks_) {
    if (!clocked) {
      *write_++ = clock;
      *write_++ = 0;
    }
  }
  port_->done(port_->waves, write_);
  for (const uint32_t clock : clocks_) {
    if (clocked) {
      port_->clock(port_->waves, clock);
    }
  }
}

// Names come as words, of which scopes end in a byte that says their kind.
static std::string dotted(const std::string &words) {
  std::string path;
  for (const char c : words) {
    if (c == ' ') {
      path += path.empty() || path.back() == '.' ? "" : ".";
    } else if ((static_cast<unsigned char>(c) & 0x80) == 0) {
      path += c;
    }
  }
  return path;
}

void VerilatedFst::declare(uint32_t code, const char *name, fstVarDir dir, bool array, int index, bool bus, int msb,
                           int lsb) {
  const int bits = (msb > lsb ? msb - lsb : lsb - msb) + 1;
  declare_code(code, name, static_cast<uint32_t>(bits));
  if (signals_.size() <= code) {
    signals_.resize(code + 1024);
  }
  if (static_cast<unsigned>(bits) > most_bits_) {
    return;
  }
  std::string path = dotted(namePrefix() + name);
  const bool clock = path.size() > 6 && path.compare(path.size() - 6, 6, ".clk_i") == 0;
  if (array) {
    path += "[" + std::to_string(index) + "]";
  }
  // A clock is one signal, whatever its codes.
  const uint32_t same = !clock ? signals_[code] : clocks_.empty() ? 0 : clocks_.front();
  const waves_declared_t signal = {path.c_str(), static_cast<unsigned>(bits), bus,  msb,
                                   lsb,          static_cast<unsigned>(dir),  same, clock};
  const uint32_t number = port_->declare(port_->waves, &signal);
  if (number == 0 || same != 0) {
    return;
  }
  if (clock) {
    clocks_.push_back(number);
  } else {
    signals_[code] = number;
    words_ += 1 + static_cast<size_t>(VL_WORDS_I(bits));
  }
}

VerilatedFst::Buffer *VerilatedFst::getTraceBuffer(VERILATED_BUFFER) { return new Buffer{*this}; }

void VerilatedFst::commitTraceBuffer(Buffer *buffer) { delete buffer; }
