// SPDX-License-Identifier: Apache-2.0
#include "kernel/lm/lm_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernels/engine/engine_args.h"
#include "kernels/gemm/gemm_args.h"
#include "num/engine/num_bf16.h"
#include "num/num_format.h"

enum { MAX_BUFFERS = 128, BF16_BYTES = 2, FP32_BYTES = 4 };

// A weight matrix in global memory.
typedef struct matrix {
  const float *w;
  size_t buffer;
} matrix_t;

struct lm_machine {
  const lm_machine_options_t *options;
  const checkpoint_config_t *shape;
  size_t kv;  // elements of a token's keys
  // Arrays: queries and results [context][dim], keys and values [layers][context][kv], BF16; of
  // products the activations [context][widest] BF16 and the results, FP32.
  soc_buffer_t buffers[MAX_BUFFERS];
  size_t count;
  size_t q, k, v, out, activations, product;
  matrix_t matrices[MAX_BUFFERS];
  size_t matrix_count;
  size_t widest;
  bool full;  // more matrices than there is room for, or no memory for one
  soc_t *soc;
  bool closed;
  soc_result_t result;
  lm_machine_books_t books;
};

// --- arrays -----------------------------------------------------------------------------------

static size_t add_array(lm_machine_t *machine, const char *name, size_t bytes, bool read_only) {
  machine->buffers[machine->count] = (soc_buffer_t){.name = name, .bytes = bytes, .read_only = read_only};
  return machine->count++;
}

static void add_attention(lm_machine_t *machine) {
  const checkpoint_config_t *s = machine->shape;
  const size_t queries = s->max_position_embeddings * s->hidden_size * BF16_BYTES;
  const size_t keys = s->num_hidden_layers * s->max_position_embeddings * machine->kv * BF16_BYTES;
  machine->q = add_array(machine, "q", queries, true);
  machine->k = add_array(machine, "k", keys, true);
  machine->v = add_array(machine, "v", keys, true);
  machine->out = add_array(machine, "out", queries, false);
}

// A matrix of the model, which is BF16 already.
static void add_matrix(void *context, const float *w, size_t k, size_t n) {
  lm_machine_t *machine = context;
  const size_t bytes = k * n * BF16_BYTES;
  num_bf16_t *copy = machine->count + 2 < MAX_BUFFERS ? soc_alloc(bytes) : NULL;
  if (copy == NULL) {
    machine->full = true;
    return;
  }
  num_bf16_from_f32_n(w, copy, k * n);
  const size_t buffer = add_array(machine, "weights", bytes, true);
  machine->buffers[buffer].init = copy;
  machine->matrices[machine->matrix_count++] = (matrix_t){w, buffer};
  machine->widest = k > machine->widest ? k : machine->widest;
  machine->widest = n > machine->widest ? n : machine->widest;
}

static bool add_products(lm_machine_t *machine, const lm_t *lm, base_error_t *error) {
  lm_each_matrix(lm, add_matrix, machine);
  const size_t elements = machine->shape->max_position_embeddings * machine->widest;
  machine->activations = add_array(machine, "activations", elements * BF16_BYTES, true);
  machine->product = add_array(machine, "product", elements * FP32_BYTES, false);
  return !machine->full || base_fail(error, "--gemm soc: more matrices than fit");
}

static void *bytes_of(lm_machine_t *machine, size_t buffer) {
  return soc_bytes(machine->soc, machine->buffers[buffer].address);
}

// --- the machine ------------------------------------------------------------------------------

static bool build(lm_machine_t *machine, const lm_t *lm, bool gemm, base_error_t *error) {
  const size_t args = sizeof(engine_args_t) > sizeof(gemm_args_t) ? sizeof(engine_args_t) : sizeof(gemm_args_t);
  machine->books.layer_cycles = calloc(machine->shape->num_hidden_layers, sizeof *machine->books.layer_cycles);
  if (machine->books.layer_cycles == NULL) {
    return base_fail(error, "out of memory");
  }
  add_attention(machine);
  if (gemm && !add_products(machine, lm, error)) {
    return false;
  }
  soc_place(machine->buffers, machine->count);
  machine->soc = soc_open(&machine->options->soc, machine->buffers, machine->count, args, &machine->result);
  return machine->soc != NULL || base_fail(error, "%s", machine->result.error);
}

lm_machine_t *lm_machine_open(const lm_machine_options_t *options, const lm_t *lm, bool gemm, base_error_t *error) {
  lm_machine_t *machine = calloc(1, sizeof *machine);
  if (machine == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  machine->options = options;
  machine->shape = lm_shape(lm);
  machine->kv = machine->shape->num_key_value_heads * machine->shape->head_dim;
  if (!build(machine, lm, gemm, error)) {
    lm_machine_close(machine);
    return NULL;
  }
  return machine;
}

static void close_soc(lm_machine_t *machine) {
  if (machine->soc != NULL && !machine->closed) {
    soc_close(machine->soc);
    machine->closed = true;
  }
}

const soc_result_t *lm_machine_result(lm_machine_t *machine) {
  close_soc(machine);
  return &machine->result;
}

const lm_machine_books_t *lm_machine_books(const lm_machine_t *machine) { return &machine->books; }

soc_status_t lm_machine_status(const lm_machine_t *machine, base_error_t *error) {
  if (machine->result.status != SOC_DONE) {
    base_fail(error, "%s", machine->result.error);
  }
  return machine->result.status;
}

void lm_machine_close(lm_machine_t *machine) {
  if (machine != NULL) {
    close_soc(machine);
    soc_result_free(&machine->result);
    free(machine->books.layer_cycles);
    free(machine);
  }
}

// --- attention --------------------------------------------------------------------------------

static engine_args_t attention_args(const lm_machine_t *machine, const lm_attention_t *a) {
  const checkpoint_config_t *s = machine->shape;
  const uint32_t token = (uint32_t)(s->hidden_size * BF16_BYTES);
  const uint32_t kv = (uint32_t)(machine->kv * BF16_BYTES);
  const uint64_t layer = (uint64_t)a->layer * s->max_position_embeddings * kv;
  return (engine_args_t){.q = machine->buffers[machine->q].address,
                         .k = machine->buffers[machine->k].address + layer,
                         .v = machine->buffers[machine->v].address + layer,
                         .out = machine->buffers[machine->out].address,
                         .q_pitch = token,
                         .k_pitch = kv,
                         .v_pitch = kv,
                         .out_pitch = token,
                         .tokens = (uint32_t)a->n,
                         .keys = (uint32_t)(a->first + a->n),
                         .heads = (uint32_t)s->num_attention_heads,
                         .kv_heads = (uint32_t)s->num_key_value_heads,
                         .dim = (uint32_t)s->head_dim,
                         .scale = num_f32_bits((float)(1.0 / sqrt((double)s->head_dim))),
                         .causal = 1,
                         .chunk = (uint32_t)machine->options->chunk};
}

// The new tokens' keys join those that are there.
static void write_inputs(lm_machine_t *machine, const lm_attention_t *a) {
  const size_t kv = machine->kv;
  const size_t at = (a->layer * machine->shape->max_position_embeddings + a->first) * kv;
  num_bf16_t *k = bytes_of(machine, machine->k);
  num_bf16_t *v = bytes_of(machine, machine->v);
  num_bf16_from_f32_n(a->q, bytes_of(machine, machine->q), a->n * machine->shape->hidden_size);
  num_bf16_from_f32_n(a->k + a->first * kv, k + at, a->n * kv);
  num_bf16_from_f32_n(a->v + a->first * kv, v + at, a->n * kv);
}

// What a launch does not write is no number, whatever the one before has left.
static void forget(const lm_machine_t *machine, size_t buffer, size_t bytes) {
  memset(soc_look(machine->soc, machine->buffers[buffer].address), 0xFF, bytes);
}

bool lm_machine_attend(void *context, const lm_attention_t *a) {
  lm_machine_t *machine = context;
  write_inputs(machine, a);
  forget(machine, machine->out, a->n * machine->shape->hidden_size * BF16_BYTES);
  const engine_args_t args = attention_args(machine, a);
  uint64_t cycles;
  if (soc_launch(machine->soc, machine->options->engine_firmware, &args, sizeof args, &cycles) != SOC_DONE) {
    return false;
  }
  num_bf16_to_f32_n(bytes_of(machine, machine->out), a->out, a->n * machine->shape->hidden_size);
  machine->books.launches += 1;
  machine->books.cycles += cycles;
  machine->books.layer_cycles[a->layer] += cycles;
  return true;
}

// --- products ---------------------------------------------------------------------------------

static uint64_t address_of(const lm_machine_t *machine, const float *w) {
  for (size_t i = 0; i < machine->matrix_count; ++i) {
    if (machine->matrices[i].w == w) {
      return machine->buffers[machine->matrices[i].buffer].address;
    }
  }
  return 0;
}

static gemm_args_t product_args(const lm_machine_t *machine, const lm_gemm_t *p) {
  return (gemm_args_t){.a = machine->buffers[machine->activations].address,
                       .b = address_of(machine, p->w),
                       .c = machine->buffers[machine->product].address,
                       .a_pitch = (uint32_t)(p->k * BF16_BYTES),
                       .b_pitch = (uint32_t)(p->n * BF16_BYTES),
                       .c_pitch = (uint32_t)(p->n * FP32_BYTES),
                       .m = (uint32_t)p->m,
                       .n = (uint32_t)p->n,
                       .k = (uint32_t)p->k,
                       .type = TYPE_BF16};
}

// Activations are rounded to BF16; what is added to is the host's.
bool lm_machine_gemm(void *context, const lm_gemm_t *p) {
  lm_machine_t *machine = context;
  num_bf16_from_f32_n(p->a, bytes_of(machine, machine->activations), p->m * p->k);
  forget(machine, machine->product, p->m * p->n * FP32_BYTES);
  const gemm_args_t args = product_args(machine, p);
  uint64_t cycles;
  if (soc_launch(machine->soc, machine->options->gemm_firmware, &args, sizeof args, &cycles) != SOC_DONE) {
    return false;
  }
  const float *c = bytes_of(machine, machine->product);
  for (size_t i = 0; i < p->m * p->n; ++i) {
    p->c[i] = p->add ? p->c[i] + c[i] : c[i];
  }
  machine->books.gemm_launches += 1;
  machine->books.gemm_cycles += cycles;
  return true;
}
