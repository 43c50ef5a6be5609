// SPDX-License-Identifier: Apache-2.0
#include "fp32_mul_shim.h"

#include "Vfp32_mul_exact.h"
#include "Vfp32_mul_flush.h"
#include "waves/verilated_end.h"

struct fp32_mul {
  Vfp32_mul_exact exact;
  Vfp32_mul_flush flush;
};

extern "C" fp32_mul_t *fp32_mul_new(void) { return new fp32_mul; }

extern "C" void fp32_mul_delete(fp32_mul_t *mul) {
  verilated_end(mul->exact);
  verilated_end(mul->flush);
  delete mul;
}

extern "C" void fp32_mul_eval(fp32_mul_t *mul, uint32_t a, uint32_t b, uint32_t *exact, uint32_t *flushed) {
  mul->exact.a_i = a;
  mul->exact.b_i = b;
  mul->flush.a_i = a;
  mul->flush.b_i = b;
  mul->exact.eval();
  mul->flush.eval();
  *exact = mul->exact.y_o;
  *flushed = mul->flush.y_o;
}
