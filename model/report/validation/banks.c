// Conflicts of the banks of UB (core/vector/banks.c), beside times that others have measured.
// SPDX-License-Identifier: Apache-2.0
#include "core/core.h"
#include "report/report_write.h"

enum { ADDS = 1000, REPEATS = 64, MHZ = 1850, TICK_MHZ = 50, HEX_BYTES = 16 };

typedef struct bank {
  const char *meet;
  uint32_t a, b, dst;
  double ticks;
} bank_t;

static const bank_t banks[] = {
#define BANK(meet, a, b, dst, ticks) {meet, a, b, dst, ticks},
#include "report/validation/banks.def"
#undef BANK
};

static double ticks_of(const config_t *config, const bank_t *bank) {
  const uint32_t step = VECTOR_STEP(1, 8);
  const command_t add = {.vinst = {.opcode_ = OP_VINST,
                                   .pipe_ = PIPE_V,
                                   .op = VI_ADD,
                                   .type = TYPE_F32,
                                   .repeats = REPEATS,
                                   .mask = UINT64_MAX,
                                   .dst = bank->dst,
                                   .dst_step = step,
                                   .a = bank->a,
                                   .a_step = step,
                                   .b = bank->b,
                                   .b_step = step}};
  const uint64_t cycles = core_cycles(config, &add) + config->vector.drain;
  return (double)(ADDS * cycles) * TICK_MHZ / MHZ;
}

static void fill(const void *data, cJSON *root) {
  const kernel_machine_t *machine = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < sizeof banks / sizeof *banks; ++i) {
    const bank_t *bank = &banks[i];
    const double ticks = ticks_of(&machine->soc.config, bank);
    char a[HEX_BYTES], b[HEX_BYTES], dst[HEX_BYTES];
    snprintf(a, sizeof a, "0x%x", bank->a);
    snprintf(b, sizeof b, "0x%x", bank->b);
    snprintf(dst, sizeof dst, "0x%x", bank->dst);
    report_row(list, TEXT("meet", bank->meet), TEXT(".a", a), TEXT(".b", b), TEXT(".dst", dst),
               NUMBER("measured", bank->ticks), NUMBER("ticks", ticks),
               NUMBER("off_percent", 100 * (ticks / bank->ticks - 1)));
  }
  report_put(root, NUMBER("adds", ADDS), NUMBER("repeats", REPEATS), NUMBER("mhz", MHZ));
}

REPORT_TEMPLATE(banks_text, "validation/banks.md");
static const report_t report = {fill, banks_text, NULL, NULL};

bool report_banks(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  kernel_machine_t machine = {0};
  *code = BASE_BAD_INPUT;
  return report_machine(context, "ascend910", 0, &machine, error) && report_write(context, &report, &machine, error);
}
