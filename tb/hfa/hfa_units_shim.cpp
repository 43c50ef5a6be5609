// SPDX-License-Identifier: Apache-2.0
#include "hfa_units_shim.h"

#include <cstring>

#include "Vhfa_unit_0.h"
#include "Vhfa_unit_1.h"
#include "Vhfa_unit_2.h"
#include "Vhfa_unit_3.h"
#include "Vhfa_unit_4.h"
#include "Vhfa_unit_5.h"
#include "Vhfa_unit_6.h"
#include "Vhfa_unit_7.h"
#include "Vhfa_unit_8.h"
#include "Vhfa_unit_9.h"
#include "waves/verilated_end.h"

struct hfa_bank {
  virtual ~hfa_bank() = default;
  virtual void eval(const uint32_t *a, const uint32_t *b, uint32_t *y) = 0;
};

namespace {

template <class Rtl>
class bank_of : public hfa_bank {
 public:
  ~bank_of() override { verilated_end(rtl_); }
  void eval(const uint32_t *a, const uint32_t *b, uint32_t *y) override {
    std::memcpy(&rtl_.a_i[0], a, sizeof rtl_.a_i);
    std::memcpy(&rtl_.b_i[0], b, sizeof rtl_.b_i);
    rtl_.eval();
    std::memcpy(y, &rtl_.y_o[0], sizeof rtl_.y_o);
  }

 private:
  VerilatedContext context_;
  Rtl rtl_{&context_};
};

}  // namespace

extern "C" hfa_bank_t *hfa_bank_new(hfa_unit_t unit) {
  switch (unit) {
    case HFA_UNIT_QUANT:
      return new bank_of<Vhfa_unit_0>;
    case HFA_UNIT_DIFF_QUANT:
      return new bank_of<Vhfa_unit_1>;
    case HFA_UNIT_LOG2:
      return new bank_of<Vhfa_unit_2>;
    case HFA_UNIT_SCALE:
      return new bank_of<Vhfa_unit_3>;
    case HFA_UNIT_POW2:
      return new bank_of<Vhfa_unit_4>;
    case HFA_UNIT_CORRECT:
      return new bank_of<Vhfa_unit_5>;
    case HFA_UNIT_ADD_MITCHELL:
      return new bank_of<Vhfa_unit_6>;
    case HFA_UNIT_ADD_ZERO_EXACT:
      return new bank_of<Vhfa_unit_7>;
    case HFA_UNIT_ADD_CORRECTED:
      return new bank_of<Vhfa_unit_8>;
    default:
      return new bank_of<Vhfa_unit_9>;
  }
}

extern "C" void hfa_bank_delete(hfa_bank_t *bank) { delete bank; }

extern "C" void hfa_bank_eval(hfa_bank_t *bank, const uint32_t a[HFA_BANK_LANES], const uint32_t b[HFA_BANK_LANES],
                              uint32_t y[HFA_BANK_LANES]) {
  bank->eval(a, b, y);
}
