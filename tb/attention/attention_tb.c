// attention_engine, in each arithmetic, against the golden models, pin by pin and cycle by cycle.
//
//   attention_tb random|cycles|BREACH [--design hfa|fa2] [--d D] [--p P] [--nq NQ] [--n N] [--corrected]
//                [--zero-exact] [--one-mul] [--axi] [--groups G] [--seed S] [--record FILE]
//
//   random   G groups of random queries, limits, masks, carries, rows and bases, with gaps and stalls
//            on every stream, rows written while others are read, and resets at any time. Each result
//            is compared with the golden functions, each cycle's handshakes with engine_control.
//   cycles   one group, and several back to back, without stalls: the cycles of rtl/attention/README.md's formula
//   BREACH   rows|stride|limit|changed|withdrawn|collision: does what the contract of the engine forbids, which
//            an assertion of the RTL ends
//
// --axi: the engine behind its buses (rtl/axi), whose handshakes are its own: results alone are compared.
// --record writes what was on the pins in each cycle, for icarus/attention_replay.v.
// Exits 0 when all agree, 1 when not, 2 when it could not run.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_control.h"
#include "engine/engine_hex.h"
#include "engine/engine_internal.h"
#include "engine/engine_library.h"
#include "num/num_rng.h"
#include "tb_options.h"

enum { FLIGHT_MAX = 64, RANDOM_CYCLES_MAX = 1 << 26 };

// A group on its way: what went in and what has to come out.
typedef struct flight {
  num_triplet_t *expected;  // [NQ]; with final, o[1..d] are the output's bits
  bool final;
} flight_t;

typedef struct bench {
  engine_shape_t shape;
  size_t d, p, nq, bank;  // bank: rows of a block
  engine_library_t library;
  engine_unit_t *unit;
  engine_pins_t *pins;
  engine_control_t *control;
  num_rng_t rng;
  num_bf16_t *k, *v;  // [P][bank][D], what the memory holds
  size_t half;        // rows of the half in use start at half * bank/2; the other is written
  bool whole;         // all rows are in use, around the end of a block, and none is written
  // The group on offer
  num_bf16_t *q;
  uint32_t *limit;
  num_triplet_t *carry;
  engine_group_t group;
  uint8_t *mask;  // [rows][NQ][P] of the groups from mask_first on, one after the other
  bool offered;
  size_t mask_count, mask_next;  // beats made and taken
  bool mask_taken;               // one, in the last cycle
  flight_t flight[FLIGHT_MAX];
  size_t sent, received;
  num_triplet_t *result;
  uint64_t cycle;
  unsigned gap_q, gap_mask, gap_out, gap_kv;  // of 16: how often a stream pauses
  engine_row_t written;                       // the last row
  FILE *record;                               // NULL: none
} bench_t;

static int failures;

static uint32_t pick(bench_t *bench, uint32_t below) { return (uint32_t)(num_rng_u64(&bench->rng) >> 33) % below; }

static bool chance(bench_t *bench, unsigned of16) { return pick(bench, 16) < of16; }

static void *take(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "attention_tb: out of memory\n");
    exit(2);
  }
  return memory;
}

static num_triplet_t *new_triplets(const bench_t *bench) {
  num_triplet_t *triplets = take(bench->nq, sizeof *triplets);
  num_element_t *o = take(bench->nq * (bench->d + 1), sizeof *o);
  for (size_t n = 0; n < bench->nq; ++n) {
    triplets[n].o = o + n * (bench->d + 1);
  }
  return triplets;
}

static void copy_triplet(const bench_t *bench, num_triplet_t *to, const num_triplet_t *from) {
  to->m = from->m;
  to->poison = from->poison;
  memcpy(to->o, from->o, (bench->d + 1) * sizeof *to->o);
}

// ---------------------------------------------------------------- inputs

// Makes a vector of one kind, so that each kind of vectors gets its share of plain ones.
static void make_vector(bench_t *bench, num_bf16_t *x, double width) {
  const uint32_t kind = pick(bench, 24);
  for (size_t c = 0; c < bench->d; ++c) {
    const num_bf16_t plain = num_bf16_from_f32((float)(width * num_rng_normal(&bench->rng)));
    const num_bf16_t any = (num_bf16_t)(pick(bench, 0x10000) & (kind == 3 ? 0xbfffu : 0xffffu));
    x[c] = kind == 0                                           ? (num_bf16_t)(plain & 0x8000u)  // zeros
           : kind == 1                                         ? (num_bf16_t)(any & 0x807fu)    // subnormals
           : kind == 2 && pick(bench, 4) == 0                  ? (num_bf16_t)(plain & 0x8000u)
           : kind == 3                                         ? any  // up to 1.99
           : kind == 4 && pick(bench, (uint32_t)bench->d) == 0 ? (num_bf16_t)(any | 0x7f80u)
                                                               : plain;
  }
}

// Keys of a block often resemble the one before: equal scores, and ones that rise or fall by steps.
static void make_row(bench_t *bench, size_t block, size_t row) {
  num_bf16_t *k = bench->k + (block * bench->bank + row) * bench->d;
  num_bf16_t *v = bench->v + (block * bench->bank + row) * bench->d;
  make_vector(bench, k, 1.0);
  make_vector(bench, v, 1.0);
  if (row == 0 || pick(bench, 4) != 0) {
    return;
  }
  const uint32_t kind = pick(bench, 4);
  for (size_t c = 0; c < bench->d; ++c) {
    const float before = num_bf16_to_f32(k[c - bench->d + 0]);
    k[c] = kind == 0   ? num_bf16_from_f32(before)
           : kind == 1 ? num_bf16_from_f32(before * 1.5f)
           : kind == 2 ? num_bf16_from_f32(before * 0.5f)
                       : (num_bf16_t)(num_bf16_from_f32(before) ^ 0x8000u);
    v[c] = pick(bench, 2) ? (num_bf16_t)(v[c - bench->d] ^ 0x8000u) : v[c];
  }
}

// A carry: mostly what an earlier group left, sometimes anything that fits in the bits.
static void make_carry(bench_t *bench, num_triplet_t *carry) {
  const bool hfa = bench->shape.num.design == NUM_DESIGN_HFA;
  num_engine_clear(&bench->shape.num, carry);
  if (pick(bench, 8) == 0) {
    return;
  }
  const num_bf16_t m = num_bf16_from_f32((float)(4.0 * num_rng_normal(&bench->rng)));
  carry->m = m;
  carry->poison = pick(bench, 16) == 0;
  for (size_t e = 0; e <= bench->d; ++e) {
    const uint32_t any = pick(bench, 0x20000);
    const uint32_t near = (any & NUM_ELEMENT_SIGN) | ((uint32_t)(int32_t)(pick(bench, 4096) - 2048) & 0xffffu);
    const uint32_t number = (any & NUM_ELEMENT_SIGN) | (0x3c00u + pick(bench, 0x800));
    carry->o[e] = !hfa ? number : pick(bench, 4) ? near : any;
  }
}

// Limits and strides: 0 .. N.
static uint32_t any_count(bench_t *bench) { return pick(bench, (uint32_t)bench->shape.num.rows + 1); }

static size_t half_rows(const bench_t *bench) { return bench->bank > 1 ? bench->bank / 2 : 1; }

// Rows in use.
static size_t span(const bench_t *bench) { return bench->whole ? bench->bank : half_rows(bench); }

static void expect(bench_t *bench) {
  const num_engine_t *num = &bench->shape.num;
  const engine_group_t *group = &bench->group;
  flight_t *flight = &bench->flight[bench->sent % FLIGHT_MAX];
  num_bf16_t *k = take(group->rows * bench->d, sizeof *k);
  num_bf16_t *v = take(group->rows * bench->d, sizeof *v);
  uint8_t *valid = take(group->rows, 1);
  num_triplet_t *part = new_triplets(bench);
  num_bf16_t *out = take(bench->d, sizeof *out);
  flight->final = group->final;
  for (size_t n = 0; n < bench->nq; ++n) {
    num_triplet_t *sum = &flight->expected[n];
    for (size_t b = 0; b < bench->p; ++b) {
      num_triplet_t *triplet = b == 0 ? sum : &part[n];
      num_engine_clear(num, triplet);
      if (b == 0 && group->carry != NULL) {
        copy_triplet(bench, triplet, &group->carry[n]);
      }
      for (size_t r = 0; r < group->rows; ++r) {
        const size_t from = (b * bench->bank + (group->base + r) % bench->bank) * bench->d;
        memcpy(k + r * bench->d, bench->k + from, bench->d * sizeof *k);
        memcpy(v + r * bench->d, bench->v + from, bench->d * sizeof *v);
        const uint8_t *beat = bench->mask + ((bench->mask_count + r) * bench->nq + n) * bench->p;
        valid[r] = b * group->stride + r < group->limit[n] && (!group->use_mask || beat[b]);
      }
      num_engine_fau(num, group->q + n * bench->d, k, v, valid, group->rows, triplet);
      if (b > 0) {
        num_engine_acc(num, sum, triplet);
      }
    }
    if (group->final) {
      num_engine_divide(num, sum, out);
      for (size_t c = 0; c < bench->d; ++c) {
        sum->o[c + 1] = out[c];
      }
    }
  }
  free(k);
  free(v);
  free(valid);
  free(out);
  free(part[0].o);
  free(part);
}

enum { MASK_BEATS = 1 << 16 };

// A new group on the pins, its mask beats behind those of the groups before.
static void offer(bench_t *bench) {
  const uint32_t most = (uint32_t)span(bench);
  const uint32_t few = most < 6 ? most : 6;
  const bool carry = pick(bench, 3) == 0;
  for (size_t n = 0; n < bench->nq; ++n) {
    const double width = 0.25 * (double)(1u << pick(bench, 6));
    make_vector(bench, bench->q + n * bench->d, width);
    const uint32_t keys = (uint32_t)bench->shape.num.rows;
    bench->limit[n] = pick(bench, 4) ? keys : pick(bench, 2) ? pick(bench, keys + 1) : any_count(bench);
    make_carry(bench, &bench->carry[n]);
  }
  bench->group = (engine_group_t){.q = bench->q,
                                  .base = bench->whole ? pick(bench, most) : (uint32_t)(bench->half * most),
                                  .rows = 1 + (pick(bench, 2) ? pick(bench, few) : pick(bench, most)),
                                  .stride = pick(bench, 2)   ? most
                                            : pick(bench, 2) ? pick(bench, most + 1)
                                                             : any_count(bench),
                                  .limit = bench->limit,
                                  .use_mask = pick(bench, 3) == 0,
                                  .final = pick(bench, 3) != 0};
  if (!bench->whole && bench->group.rows < most) {
    bench->group.base += pick(bench, most - bench->group.rows + 1);
  }
  // A group without a carry finds another one's on the pins.
  bench->group.carry = bench->carry;
  bench->library.api->set_group(bench->unit, &bench->group);
  bench->group.carry = carry ? bench->carry : NULL;
  bench->library.api->set_group(bench->unit, &bench->group);
  if (bench->mask_next == bench->mask_count) {
    bench->mask_next = bench->mask_count = 0;
  }
  if (bench->group.use_mask) {
    const size_t bits = bench->group.rows * bench->nq * bench->p;
    uint8_t *mask = bench->mask + bench->mask_count * bench->nq * bench->p;
    const uint32_t density = pick(bench, 5);
    for (size_t i = 0; i < bits; ++i) {
      mask[i] = pick(bench, 4) < density;
    }
  }
  expect(bench);
  bench->mask_count += bench->group.use_mask ? bench->group.rows : 0;
  bench->offered = true;
}

// ---------------------------------------------------------------- checks

static void fail(const bench_t *bench, const char *what, size_t group, size_t query, size_t element, uint32_t got,
                 uint32_t expected) {
  if (failures < 10) {
    printf("cycle %llu: group %zu, query %zu, %s %zu: %05x, expected %05x\n", (unsigned long long)bench->cycle, group,
           query, what, element, got, expected);
  }
  failures += 1;
}

static void check_result(bench_t *bench) {
  const flight_t *flight = &bench->flight[bench->received % FLIGHT_MAX];
  const size_t group = bench->received;
  if (bench->received == bench->sent) {
    fail(bench, "result out of nothing", group, 0, 0, 1, 0);
    return;
  }
  bench->library.api->get_result(bench->unit, bench->result);
  if (bench->pins->out_final != flight->final) {
    fail(bench, "final", group, 0, 0, bench->pins->out_final, flight->final);
  }
  for (size_t n = 0; n < bench->nq; ++n) {
    const num_triplet_t *got = &bench->result[n];
    const num_triplet_t *expected = &flight->expected[n];
    if (got->m != expected->m) {
      fail(bench, "m", group, n, 0, got->m, expected->m);
    }
    if (got->poison != expected->poison) {
      fail(bench, "poison", group, n, 0, got->poison, expected->poison);
    }
    for (size_t e = flight->final ? 1 : 0; e <= bench->d; ++e) {
      if (got->o[e] != expected->o[e]) {
        fail(bench, "element", group, n, e, got->o[e], expected->o[e]);
      }
    }
  }
}

static void check_pin(const bench_t *bench, const char *pin, bool got, bool expected) {
  if (got != expected && !bench->shape.axi) {
    fail(bench, pin, bench->received, 0, 0, got, expected);
  }
}

// ---------------------------------------------------------------- the record

static void write_triplets(const bench_t *bench, hex_bits_t *bits, const num_triplet_t *triplets, size_t first) {
  FILE *file = bench->record;
  for (size_t n = 0; n < bench->nq; ++n) {
    hex_put(bits, triplets[n].m, 16);
  }
  hex_write(file, bits);
  fputc(' ', file);
  for (size_t n = 0; n < bench->nq; ++n) {
    hex_put(bits, triplets[n].poison, 1);
  }
  hex_write(file, bits);
  fputc(' ', file);
  for (size_t n = 0; n < bench->nq; ++n) {
    for (size_t e = 0; e <= bench->d; ++e) {
      hex_put(bits, e < first ? 0 : triplets[n].o[e], ELEMENT_BITS);
    }
  }
  hex_write(file, bits);
  fputc(' ', file);
}

static void write_group(const bench_t *bench, hex_bits_t *bits) {
  const engine_group_t *group = &bench->group;
  fprintf(bench->record, "%x %x %x %d %d %d ", group->base, group->rows, group->stride, group->use_mask, group->final,
          group->carry != NULL);
  for (size_t n = 0; n < bench->nq; ++n) {
    hex_put(bits, group->limit[n], engine_bits(bench->shape.num.rows + 1));
  }
  hex_write(bench->record, bits);
  fputc(' ', bench->record);
  hex_vector(bench->record, bits, group->q, bench->nq * bench->d);
  fputc(' ', bench->record);
  write_triplets(bench, bits, bench->carry, 0);
}

// The cycle's pins, a line: each stream's valid and, if it is 1, what it carries; then the outputs.
static void write_cycle(const bench_t *bench, bool reset) {
  const engine_pins_t *pins = bench->pins;
  FILE *file = bench->record;
  uint8_t nibbles[1 << 14];
  hex_bits_t bits = {.nibble = nibbles};
  if (file == NULL) {
    return;
  }
  fprintf(file, "%d %d %d %d %d ", !reset, pins->kv_valid, pins->q_valid, pins->mask_valid, pins->out_ready);
  if (pins->kv_valid) {
    fprintf(file, "%x %x ", bench->written.block, bench->written.row);
    hex_vector(file, &bits, bench->written.k, bench->d);
    fputc(' ', file);
    hex_vector(file, &bits, bench->written.v, bench->d);
    fputc(' ', file);
  }
  if (pins->q_valid) {
    write_group(bench, &bits);
  }
  if (pins->mask_valid) {
    const uint8_t *beat = bench->mask + bench->mask_next * bench->nq * bench->p;
    for (size_t i = 0; i < bench->nq * bench->p; ++i) {
      hex_put(&bits, beat[i], 1);
    }
    hex_write(file, &bits);
    fputc(' ', file);
  }
  fprintf(file, "%d %d %d ", pins->q_valid && pins->q_ready, pins->mask_ready, pins->out_valid);
  if (pins->out_valid) {
    fprintf(file, "%d ", pins->out_final);
    write_triplets(bench, &bits, bench->result, pins->out_final ? 1 : 0);
  }
  fputc('\n', file);
}

// ---------------------------------------------------------------- cycles

// One clock cycle with the input pins as they are.
static void cycle(bench_t *bench) {
  engine_pins_t *pins = bench->pins;
  const engine_inputs_t inputs = {.q_valid = pins->q_valid,
                                  .mask_valid = pins->mask_valid,
                                  .out_ready = pins->out_ready,
                                  .rows = bench->group.rows,
                                  .carry = bench->group.carry != NULL,
                                  .use_mask = bench->group.use_mask};
  const engine_outputs_t expected = engine_control_cycle(bench->control, &inputs);
  bench->library.api->settle(bench->unit);
  if (pins->q_valid) {
    check_pin(bench, "q_ready", pins->q_ready, expected.q_ready);
  }
  if (pins->mask_valid) {
    check_pin(bench, "mask_ready", pins->mask_ready, expected.mask_ready);
  }
  check_pin(bench, "out_valid", pins->out_valid, expected.out_valid);
  if (pins->out_valid) {
    check_result(bench);  // while it waits, too
    bench->received += pins->out_ready;
  }
  write_cycle(bench, false);
  const bool accepted = pins->q_valid && pins->q_ready;
  bench->mask_taken = pins->mask_valid && pins->mask_ready;
  bench->mask_next += bench->mask_taken;
  bench->library.api->clock(bench->unit);
  bench->cycle += 1;
  if (accepted) {
    bench->sent += 1;
    bench->offered = false;
    pins->q_valid = false;
  }
}

// Resets the engine: groups under way are lost; the memory keeps its rows.
static void reset(bench_t *bench) {
  bench->library.api->reset(bench->unit);
  write_cycle(bench, true);
  engine_control_delete(bench->control);
  bench->control = engine_control_new(bench->d, bench->p);
  bench->offered = false;
  bench->mask_count = bench->mask_next = 0;
  bench->received = bench->sent;
}

// A pin that keeps its offer until it is taken, with pauses between.
static bool keep_or(bench_t *bench, bool offered, bool available, unsigned gap) {
  return available && (offered || !chance(bench, gap));
}

static void put_row(bench_t *bench, size_t block, size_t row) {
  const size_t at = (block * bench->bank + row) * bench->d;
  bench->written =
      (engine_row_t){.block = (uint32_t)block, .row = (uint32_t)row, .k = bench->k + at, .v = bench->v + at};
  bench->library.api->set_row(bench->unit, &bench->written);
  bench->pins->kv_valid = true;
}

static void write_row(bench_t *bench, size_t block, size_t row) {
  make_row(bench, block, row);
  put_row(bench, block, row);
}

static void random_cycle(bench_t *bench, bool more) {
  engine_pins_t *pins = bench->pins;
  if (more && !bench->offered && bench->sent - bench->received < FLIGHT_MAX &&
      bench->mask_count + span(bench) < MASK_BEATS) {
    offer(bench);
  }
  pins->q_valid = keep_or(bench, pins->q_valid, bench->offered, bench->gap_q);
  const bool beats = bench->mask_next < bench->mask_count;
  pins->mask_valid = keep_or(bench, pins->mask_valid && !bench->mask_taken, beats, bench->gap_mask);
  if (beats) {
    bench->library.api->set_mask(bench->unit, bench->mask + bench->mask_next * bench->nq * bench->p);
  }
  pins->out_ready = !chance(bench, bench->gap_out);
  pins->kv_valid = false;
  if (bench->bank > 1 && !bench->whole && !chance(bench, bench->gap_kv)) {
    const size_t rows = half_rows(bench);
    write_row(bench, pick(bench, (uint32_t)bench->p), (1 - bench->half) * rows + pick(bench, (uint32_t)rows));
  }
  cycle(bench);
}

static void set_gaps(bench_t *bench) {
  static const unsigned gaps[] = {0, 0, 2, 8, 15};
  bench->gap_q = gaps[pick(bench, 5)];
  bench->gap_mask = gaps[pick(bench, 5)];
  bench->gap_out = gaps[pick(bench, 5)];
  bench->gap_kv = 8;
}

static void fill(bench_t *bench) {
  for (size_t b = 0; b < bench->p; ++b) {
    for (size_t r = 0; r < bench->bank; ++r) {
      write_row(bench, b, r);
      cycle(bench);
    }
  }
  bench->pins->kv_valid = false;
}

// A group of all rows, each of which is written to one of the blocks in the cycle before its keys are read. The rows
// are written anew as soon as a result says that they are free.
static void run_fresh(bench_t *bench, size_t block) {
  engine_pins_t *pins = bench->pins;
  bench->whole = true;
  pins->out_ready = true;
  for (size_t r = 0; r < bench->bank; ++r) {
    make_row(bench, block, r);
  }
  offer(bench);
  bench->mask_count = bench->mask_next = 0;
  bench->group.use_mask = false;
  bench->group.rows = (uint32_t)bench->bank;
  expect(bench);
  bench->library.api->set_group(bench->unit, &bench->group);
  for (size_t c = 0; bench->received == bench->sent ? c < 2 : bench->cycle < RANDOM_CYCLES_MAX; ++c) {
    pins->kv_valid = false;
    if (c < bench->bank) {
      put_row(bench, block, (bench->group.base + c) % bench->bank);
    }
    pins->q_valid = c == 1;
    cycle(bench);
  }
}

// Groups in bursts; the halves of the memory change roles when all of a burst is out again, or lost.
static void run_random(bench_t *bench, size_t groups) {
  fill(bench);
  for (size_t n = 0; n < 20 && !bench->shape.axi; ++n) {  // of which the buses know nothing
    run_fresh(bench, n % bench->p);
  }
  while (bench->received < groups && failures == 0 && bench->cycle < RANDOM_CYCLES_MAX) {
    set_gaps(bench);
    bench->half = bench->bank > 1 ? pick(bench, 2) : 0;
    bench->whole = pick(bench, 3) == 0;
    const size_t until = bench->sent + 1 + pick(bench, 40);
    // A reset in some bursts, with groups at any stage.
    uint32_t left = pick(bench, 4) == 0 ? 1 + pick(bench, 200) : UINT32_MAX;
    while ((bench->received < until || bench->sent > bench->received) && failures == 0 &&
           bench->cycle < RANDOM_CYCLES_MAX) {
      random_cycle(bench, bench->sent + (bench->offered ? 1 : 0) < until);
      if (--left == 0) {
        reset(bench);
        break;
      }
    }
  }
  if (bench->cycle >= RANDOM_CYCLES_MAX) {
    fail(bench, "no end", bench->received, 0, 0, 0, 1);
  }
}

// Cycles from the acceptance of the first group to the last result, both included.
static uint64_t stream_groups(bench_t *bench, size_t groups, uint32_t rows) {
  engine_pins_t *pins = bench->pins;
  const size_t end = bench->received + groups;
  const uint64_t start = bench->cycle;
  bench->half = 0;
  bench->whole = true;
  while (bench->received < end && bench->cycle - start < RANDOM_CYCLES_MAX) {
    if (!bench->offered && bench->sent < end) {
      offer(bench);
      bench->mask_count = 0;
      bench->group.carry = NULL;
      bench->group.use_mask = false;
      bench->group.base = 0;
      bench->group.rows = rows;
      expect(bench);
      bench->library.api->set_group(bench->unit, &bench->group);
    }
    pins->q_valid = bench->offered;
    pins->out_ready = true;
    cycle(bench);
  }
  return bench->cycle - start;
}

static void check_cycles(bench_t *bench, size_t groups, uint32_t rows) {
  unsigned levels = 0;  // of the adder tree
  while (((size_t)1 << levels) < bench->d) {
    levels += 1;
  }
  // Chain and divider take a result every 3 and 2 cycles, and two triplets wait in the last FAU until the
  // last ACC has taken the first, and a cycle more: groups shorter than half of that do not stream.
  const uint32_t rate = bench->p == 1 ? ENGINE_DIVIDE_CYCLES : ENGINE_ACC_CYCLES;
  const uint32_t half = (3 * (uint32_t)(bench->p - 1) + 2) / 2;
  const uint32_t hold = half > rate ? half : rate;
  if (groups > 1 && rows < hold) {
    return;
  }
  const uint64_t keys = (uint64_t)groups * rows;
  const uint64_t memory = 1;
  const uint64_t pipeline = 14 + levels;
  const uint64_t merging = 3 * (bench->p - 1);
  const uint64_t expected = keys + memory + pipeline + merging;
  const uint64_t got = stream_groups(bench, groups, rows);
  printf("%2zu groups of %4u rows: %5llu cycles = keys %llu + memory %llu + pipeline %llu + ACCs %llu%s\n", groups,
         rows, (unsigned long long)got, (unsigned long long)keys, (unsigned long long)memory,
         (unsigned long long)pipeline, (unsigned long long)merging, got == expected ? "" : " EXPECTED");
  failures += got != expected;
}

static void run_cycles(bench_t *bench) {
  fill(bench);
  for (uint32_t rows = 1; rows <= bench->bank; rows = rows < 12 ? rows + 1 : rows * 2) {
    check_cycles(bench, 1, rows < bench->bank ? rows : (uint32_t)bench->bank);
    check_cycles(bench, 5, rows < bench->bank ? rows : (uint32_t)bench->bank);
  }
  check_cycles(bench, 1, (uint32_t)bench->bank);
  check_cycles(bench, 3, (uint32_t)bench->bank);
}

// ---------------------------------------------------------------- breaches of the contract

static const char *const breaches[] = {"rows", "stride", "limit", "changed", "withdrawn", "collision"};

static bool is_breach(const char *name) {
  for (size_t i = 0; i < sizeof breaches / sizeof *breaches; ++i) {
    if (strcmp(name, breaches[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void offer_plain(bench_t *bench, const char *breach) {
  const uint32_t beyond = (uint32_t)bench->shape.num.rows + 1;
  offer(bench);
  bench->group.base = 0;
  bench->group.rows = strcmp(breach, "rows") == 0 ? 0 : (uint32_t)bench->bank;
  bench->group.stride = strcmp(breach, "stride") == 0 ? beyond : 0;
  bench->group.use_mask = false;
  bench->group.carry = NULL;
  bench->limit[0] = strcmp(breach, "limit") == 0 ? beyond : 1;
  bench->library.api->set_group(bench->unit, &bench->group);
  bench->pins->q_valid = true;
}

// A group, and another one that waits for it. Does not come back if the RTL finds the breach.
static void run_breach(bench_t *bench, const char *breach) {
  fill(bench);
  offer_plain(bench, breach);
  if (strcmp(breach, "collision") == 0) {
    write_row(bench, 0, 0);
  }
  cycle(bench);
  bench->pins->kv_valid = false;
  offer_plain(bench, breach);
  cycle(bench);
  bench->group.stride += strcmp(breach, "changed") == 0;
  bench->library.api->set_group(bench->unit, &bench->group);
  bench->pins->q_valid = strcmp(breach, "withdrawn") != 0;
  cycle(bench);
  fail(bench, "nothing found", 0, 0, 0, 0, 1);
}

// ---------------------------------------------------------------- command line

typedef struct arguments {
  const char *test;
  uint64_t groups;
  uint64_t seed;
  const char *record;
  engine_shape_t shape;
} arguments_t;

static bool parse(int argc, char **argv, arguments_t *arguments) {
  const char *test = argc > 1 ? argv[1] : "";
  const char *design = "hfa";
  uint64_t d = 8, p = 2, nq = 1, n = 64;
  *arguments = (arguments_t){.groups = 300, .seed = 1};
  engine_shape_t *shape = &arguments->shape;
  const tb_option_t options[] = {{.name = "--design", .text = &design},
                                 {.name = "--d", .number = &d},
                                 {.name = "--p", .number = &p},
                                 {.name = "--nq", .number = &nq},
                                 {.name = "--n", .number = &n},
                                 {.name = "--corrected", .flag = &shape->num.hfa.corrected},
                                 {.name = "--zero-exact", .flag = &shape->num.hfa.zero_exact},
                                 {.name = "--one-mul", .flag = &shape->one_mul},
                                 {.name = "--axi", .flag = &shape->axi},
                                 {.name = "--groups", .number = &arguments->groups},
                                 {.name = "--seed", .number = &arguments->seed},
                                 {.name = "--record", .text = &arguments->record},
                                 {.name = NULL}};
  if (!tb_options(argc, argv, 2, options)) {
    return false;
  }
  const bool known = num_engine_design(design, &shape->num.design);
  shape->num.d = d;
  shape->num.blocks = p;
  shape->num.rows = n;
  shape->queries = nq;
  arguments->test = test;
  return known && (strcmp(test, "cycles") == 0 || strcmp(test, "random") == 0 || is_breach(test));
}

static void open_bench(bench_t *bench, const arguments_t *arguments) {
  base_error_t error;
  bench->shape = arguments->shape;
  if (!engine_library_open(&bench->shape, ENGINE_UNTRACED, (engine_progress_t){0}, &bench->library, &error)) {
    fprintf(stderr, "attention_tb: %s\n", error.text);
    exit(2);
  }
  bench->d = bench->shape.num.d;
  bench->p = bench->shape.num.blocks;
  bench->nq = bench->shape.queries;
  bench->bank = bench->shape.num.rows / bench->p;
  num_rng_seed(&bench->rng, arguments->seed);
  bench->unit = bench->library.api->create(NULL, (int)arguments->seed);
  bench->pins = bench->library.api->pins(bench->unit);
  if (arguments->record != NULL && (bench->record = fopen(arguments->record, "w")) == NULL) {
    perror(arguments->record);
    exit(2);
  }
  bench->k = take(bench->shape.num.rows * bench->d, sizeof *bench->k);
  bench->v = take(bench->shape.num.rows * bench->d, sizeof *bench->v);
  bench->q = take(bench->nq * bench->d, sizeof *bench->q);
  bench->limit = take(bench->nq, sizeof *bench->limit);
  bench->mask = take((size_t)MASK_BEATS * bench->nq * bench->p, 1);
  bench->carry = new_triplets(bench);
  bench->result = new_triplets(bench);
  for (size_t i = 0; i < FLIGHT_MAX; ++i) {
    bench->flight[i].expected = new_triplets(bench);
  }
  reset(bench);
}

static void close_bench(bench_t *bench) {
  if (bench->record != NULL && fclose(bench->record) != 0) {
    perror("attention_tb: record");
    failures += 1;
  }
  bench->library.api->destroy(bench->unit);
  engine_library_close(&bench->library);
  engine_control_delete(bench->control);
  for (size_t i = 0; i < FLIGHT_MAX; ++i) {
    free(bench->flight[i].expected[0].o);
    free(bench->flight[i].expected);
  }
  free(bench->carry[0].o);
  free(bench->carry);
  free(bench->result[0].o);
  free(bench->result);
  free(bench->k);
  free(bench->v);
  free(bench->q);
  free(bench->limit);
  free(bench->mask);
}

int main(int argc, char **argv) {
  arguments_t arguments;
  if (!parse(argc, argv, &arguments)) {
    fprintf(stderr,
            "usage: attention_tb random|cycles|BREACH [--design hfa|fa2] [--d D] [--p P] [--nq NQ] "
            "[--n N] [--corrected] [--zero-exact] [--one-mul] [--axi] [--groups G] [--seed S] [--record FILE]\n");
    return 2;
  }
  bench_t bench = {0};
  open_bench(&bench, &arguments);
  if (strcmp(arguments.test, "cycles") == 0) {
    run_cycles(&bench);
  } else if (is_breach(arguments.test)) {
    run_breach(&bench, arguments.test);
  } else {
    run_random(&bench, arguments.groups);
  }
  close_bench(&bench);
  printf("%zu groups in %llu cycles, %d differences: %s\n", bench.received, (unsigned long long)bench.cycle, failures,
         failures == 0 ? "PASS" : "FAIL");
  return failures == 0 ? 0 : 1;
}
