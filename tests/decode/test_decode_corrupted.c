// --verify compares everything that operations leave: after each operation of a step one element of each of its results
// is changed by a bit, before those who verify look. They must find exactly these, for all kinds of operations.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_verify.h"

#include "hal/command.h"
#include "kernel/decode/decode_settings.h"
#include "llm/checkpoint/checkpoint.h"
#include "num/num_rng.h"
#include "test.h"

enum { BATCH = 3, PROMPT = 5 };

typedef struct corruption {
  num_rng_t rng;
  size_t of_op[STEP_OPS];
} corruption_t;

static size_t below(corruption_t *c, size_t limit) { return (size_t)(num_rng_u64(&c->rng) % limit); }

static void flip(corruption_t *c, const decode_machine_t *machine, enum step_op op, uint64_t address) {
  uint8_t *byte = decode_machine_bytes(machine, address);
  *byte ^= 1;
  ++c->of_op[op];
}

static void corrupt_output(corruption_t *c, const decode_machine_t *machine, const decode_op_t *op,
                           const decode_output_t *o) {
  const bool slots = o->expert == DECODE_BY_SLOT;
  const size_t rows = op->routing != NULL ? decode_machine_slots(machine, op->routing) : o->rows;
  if (o->address == 0 || rows == 0) {
    return;
  }
  const size_t row = below(c, rows), of_entry = slots ? rows : o->rows_of_entry;
  const size_t element = o->type == DECODE_TYPE_FP8 ? 1 : o->type == TYPE_F32 ? 4 : 2;
  flip(c, machine, op->op,
       o->address + row / of_entry * o->entry_bytes + row % of_entry * o->pitch + below(c, o->parts) * o->part_bytes +
           below(c, o->type == DECODE_TYPE_FP8 ? 512 : o->part_cols) * element);
}

// Results that are no stage of a model.
static void corrupt_more(corruption_t *c, const decode_machine_t *machine, const decode_op_t *op) {
  if (op->op == STEP_GATE) {
    const step_gate_args_t *a = op->args;
    flip(c, machine, op->op, a->chosen + 4 * below(c, (size_t)a->tokens * a->top));
  } else if (op->op == STEP_GATHER) {
    const step_gather_args_t *a = op->args;
    const size_t slots = decode_machine_slots(machine, &a->routing);
    flip(c, machine, op->op, a->out + below(c, slots) * a->pitch + 2 * below(c, a->cols));
  } else if (op->op == STEP_HEADS && op->output[0].address == 0) {
    const step_heads_args_t *a = op->args;
    flip(c, machine, op->op, a->out.at + below(c, a->heads) * a->out.head + 2 * below(c, a->dim));
  } else if (op->op == STEP_ARGMAX) {
    const step_argmax_args_t *a = op->args;
    flip(c, machine, op->op, a->out + 4 * below(c, a->rows));
  } else if (op->op == STEP_QUANTISE) {
    const step_quantise_args_t *a = op->args;
    flip(c, machine, op->op, a->out + below(c, a->cols));
    flip(c, machine, op->op, a->scale);
  } else if (op->op == STEP_PACK) {
    const step_pack_args_t *a = op->args;
    flip(c, machine, op->op, a->out + a->out_group + below(c, a->cols));
    flip(c, machine, op->op, a->scale + 4 * below(c, a->run));
  } else if (op->op == STEP_UNPACK) {
    const step_unpack_args_t *a = op->args;
    flip(c, machine, op->op, a->out + below(c, a->groups) * a->out_group + 2 * below(c, a->cols));
  } else if (op->op == STEP_PRODUCT_S8) {
    const step_product_s8_args_t *a = op->args;
    flip(c, machine, op->op, a->c + 4 * below(c, a->n));
  }
}

static void ended(void *context, decode_machine_t *machine, size_t index) {
  const decode_op_t *op = &decode_machine_list(machine)->ops[index];
  for (size_t i = 0; i < DECODE_OUTPUTS; ++i) {
    corrupt_output(context, machine, op, &op->output[i]);
  }
  corrupt_more(context, machine, op);
}

static void check(const decode_settings_t *settings, const checkpoint_t *checkpoint, corruption_t *c) {
  base_error_t error = {""};
  decode_took_t took;
  const checkpoint_config_t *model = checkpoint_config(checkpoint);
  const uint32_t tokens[BATCH * PROMPT] = {72, 101, 32, 97, 110, 66, 111, 117, 103, 104, 1, 2, 3, 4, 5};
  const decode_ask_t ask = {.entries = BATCH, .query = PROMPT, .all_rows = true};
  const decode_machine_options_t options = {
      .settings = settings,
      .checkpoint = checkpoint,
      .limits = {.entries = BATCH, .query = PROMPT, .context = 16, .head_rows = BATCH * PROMPT},
      .experts = model->n_routed_experts};
  decode_machine_t *machine = decode_machine_open(&options, &error);
  assert_string_equal(error.text, "");
  assert_non_null(machine);
  decode_machine_watch(machine, ended, c);
  decode_verify_t *verify = decode_verify_open(machine, 2);
  assert_true(decode_machine_step(machine, &ask, tokens, &took));
  for (size_t op = 0; op < STEP_OPS; ++op) {
    const decode_verified_t *found = decode_verify_found(verify, (enum step_op)op);
    if (found->wrong != c->of_op[op]) {
      printf("operation %zu: %zu of %zu changes found\n", op, found->wrong, c->of_op[op]);
    }
    assert_int_equal(found->wrong, c->of_op[op]);
  }
  decode_verify_close(verify);
  decode_machine_close(machine);
}

TEST(every_result_is_looked_at) {
  static const struct {
    decode_attention_t attention;
    decode_weights_t weights;
    decode_cache_t cache;
    const char *folder;
  } kinds[] = {{DECODE_AMLA, DECODE_FP16, DECODE_CACHE_BF16, DATA_DIR "/kjv_mla"},
               {DECODE_BASE, DECODE_W4A16, DECODE_CACHE_BF16, DATA_DIR "/kjv_mla"},
               {DECODE_FP8, DECODE_FP16, DECODE_CACHE_FP8, DATA_DIR "/kjv_mla"},
               {DECODE_FLASH, DECODE_FP16, DECODE_CACHE_INT8, DATA_DIR "/zoo/gpt_oss"},
               {DECODE_FLASH, DECODE_W8A8, DECODE_CACHE_BF16, DATA_DIR "/zoo/gpt_oss"}};
  base_error_t error = {""};
  size_t all[STEP_OPS] = {0};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    kernel_machine_t machine;
    corruption_t corruption = {.of_op = {0}};
    checkpoint_t *checkpoint = checkpoint_open(&(checkpoint_request_t){.folder = kinds[i].folder}, &error);
    assert_non_null(checkpoint);
    num_rng_seed(&corruption.rng, i);
    soc_clear_memory();
    assert_true(kernel_machine_open(&machine, "ascend910_core", &error));
    machine.soc.gm = SOC_GM_C;
    machine.soc.firmware = SOC_FIRMWARE_NATIVE;
    decode_settings_t settings = decode_settings(&machine);
    settings.attention = kinds[i].attention;
    settings.attention_given = true;
    settings.weights = kinds[i].weights;
    settings.cache = kinds[i].cache;
    assert_true(decode_settings_fit(&settings, checkpoint_config(checkpoint), &error));
    check(&settings, checkpoint, &corruption);
    for (size_t op = 0; op < STEP_OPS; ++op) {
      all[op] += corruption.of_op[op];
    }
    checkpoint_close(checkpoint);
  }
  for (size_t op = 0; op < STEP_OPS; ++op) {
    assert_true(all[op] > 0);
  }
}
