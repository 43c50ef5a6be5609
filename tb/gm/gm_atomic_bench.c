// SPDX-License-Identifier: Apache-2.0
#include "gm_atomic_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint32_t ADDR_MASK = (1u << GM_ADDR_W) - 1u;
// Far beyond what the requests in flight can take: some beats and a row of 2^GM_LEN_W.
enum { DRAIN_LIMIT = 4096 };

void gm_bench_fail(gm_bench_t *bench, const char *what, uint32_t rtl, uint32_t expected) {
  if (!bench->failed) {
    printf("cycle %" PRIu64 ": %s is %08" PRIx32 ", expected %08" PRIx32 "\n", bench->cycles, what, rtl, expected);
  }
  bench->failed = true;
}

static void expect(gm_bench_t *bench, const char *what, uint32_t rtl, uint32_t expected) {
  if (rtl != expected) {
    gm_bench_fail(bench, what, rtl, expected);
  }
}

// The beat's words; an address outside of the two halves is an error of whoever made it.
static uint32_t *words_at(gm_bench_t *bench, gm_bench_memory_t *memory, uint32_t addr) {
  const uint32_t index = (addr + GM_BENCH_HALF) & ADDR_MASK;
  if (index >= GM_BENCH_BEATS) {
    gm_bench_fail(bench, "address outside of the memory", addr, 0);
    return memory->beat[0];
  }
  return memory->beat[index];
}

static void store(uint32_t *words, uint32_t mask, const uint32_t *data) {
  for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
    if ((mask >> lane & 1u) != 0u) {
      words[lane] = data[lane];
    }
  }
}

static void model_read(void *ctx, uint32_t addr, uint32_t out[GM_LANES]) {
  gm_bench_t *bench = ctx;
  bench->model_read = true;
  bench->model_raddr = addr;
  memcpy(out, words_at(bench, &bench->model_memory, addr), GM_LANES * sizeof out[0]);
}

static void model_write(void *ctx, uint32_t addr, uint32_t mask, const uint32_t data[GM_LANES]) {
  gm_bench_t *bench = ctx;
  store(words_at(bench, &bench->model_memory, addr), mask, data);
  bench->model_wrote = true;
  bench->model_waddr = addr;
  bench->model_wmask = mask;
  memcpy(bench->model_wdata, data, sizeof bench->model_wdata);
}

static void reference_beat(gm_bench_t *bench, const gm_request_t *req, uint32_t addr, uint32_t mask) {
  uint32_t *words = words_at(bench, &bench->ref_memory, addr);
  for (uint32_t lane = 0; lane < bench->model.lanes; ++lane) {
    if ((mask >> lane & 1u) != 0u) {
      uint32_t guards = 0;
      const uint32_t operand = req->data[req->op == NUM_GM_RESCALE ? 0u : lane];
      words[lane] = num_gm_apply((enum num_gm_op)req->op, words[lane], operand, &guards);
      bench->ref_guards |= guards;
      bench->ref_guarded += guards != 0u ? 1u : 0u;
    }
  }
  bench->ref_beats += mask != 0u ? 1u : 0u;
}

// The whole request at once: what "atomic, in order of acceptance" means.
static void reference(gm_bench_t *bench, const gm_request_t *req) {
  const uint32_t all = (uint32_t)((UINT64_C(1) << bench->model.lanes) - 1u);
  if (req->op > (uint32_t)(bench->model.types ? NUM_GM_MIN_S8 : NUM_GM_RESCALE)) {
    return;
  }
  const uint32_t beats = req->op == NUM_GM_RESCALE && req->len > 1u ? req->len : 1u;
  for (uint32_t i = 0; i < beats; ++i) {
    const uint32_t mask = i + 1u == beats ? req->mask & all : all;
    reference_beat(bench, req, (req->addr + i) & ADDR_MASK, mask);
  }
}

static void push_tag(gm_bench_t *bench, uint32_t tag) {
  if (bench->tag_count == GM_BENCH_FIFO) {
    gm_bench_fail(bench, "requests in flight", bench->tag_count, GM_BENCH_FIFO);
    return;
  }
  bench->tags[(bench->tag_head + bench->tag_count) % GM_BENCH_FIFO] = tag;
  bench->tag_count++;
}

static void pop_tag(gm_bench_t *bench, uint32_t tag) {
  if (bench->tag_count == 0) {
    gm_bench_fail(bench, "response without a request, tag", tag, 0);
    return;
  }
  expect(bench, "order of responses: tag", tag, bench->tags[bench->tag_head]);
  bench->tag_head = (bench->tag_head + 1u) % GM_BENCH_FIFO;
  bench->tag_count--;
}

static void compare_status(gm_bench_t *bench, const gm_dut_out_t *out) {
  expect(bench, "guard flags", out->guards, bench->model.guards);
  expect(bench, "cnt_beats", out->cnt_beats, bench->model.cnt_beats);
  expect(bench, "cnt_guards", out->cnt_guards, bench->model.cnt_guards);
  expect(bench, "cnt_stalls", out->cnt_stalls, bench->model.cnt_stalls);
}

static void compare_write(gm_bench_t *bench, const gm_dut_out_t *out) {
  expect(bench, "mem_we", out->mem_we, bench->model_wrote);
  if (!out->mem_we || bench->failed) {
    return;
  }
  expect(bench, "mem_waddr", out->mem_waddr, bench->model_waddr);
  expect(bench, "mem_wmask", out->mem_wmask, bench->model_wmask);
  for (uint32_t lane = 0; lane < bench->model.lanes; ++lane) {
    if ((out->mem_wmask >> lane & 1u) != 0u) {
      expect(bench, "mem_wdata", out->mem_wdata[lane], bench->model_wdata[lane]);
    }
  }
}

static void compare_read(gm_bench_t *bench, const gm_dut_out_t *out) {
  expect(bench, "mem_re", out->mem_re, bench->model_read);
  if (out->mem_re) {
    expect(bench, "mem_raddr", out->mem_raddr, bench->model_raddr);
  }
}

// A tick of the model in the cycle of the RTL outputs in out.
static void compare_model(gm_bench_t *bench, const gm_request_t *req, const gm_dut_out_t *out) {
  gm_atomic_mem_t memory = {.ctx = bench, .read = model_read, .write = model_write};
  bool rsp_valid = false;
  uint32_t rsp_tag = 0;
  compare_status(bench, out);
  expect(bench, "req_ready", out->req_ready, gm_atomic_ready(&bench->model));
  bench->model_read = false;
  bench->model_wrote = false;
  gm_atomic_tick(&bench->model, req, bench->in.rsp_ready, &memory, &rsp_valid, &rsp_tag);
  expect(bench, "rsp_valid", out->rsp_valid, rsp_valid);
  if (rsp_valid) {
    expect(bench, "rsp_tag", out->rsp_tag, rsp_tag);
  }
  compare_write(bench, out);
  compare_read(bench, out);
  if (bench->in.clear) {
    gm_atomic_clear(&bench->model);
  }
}

// Gives the memory's answer for the next cycle: the beat before this cycle's write, or nonsense.
static void serve_memory(gm_bench_t *bench, const gm_dut_out_t *out, uint32_t rdata[GM_LANES]) {
  if (out->mem_re) {
    memcpy(rdata, words_at(bench, &bench->rtl_memory, out->mem_raddr), GM_LANES * sizeof rdata[0]);
  } else {
    for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
      rdata[lane] = (uint32_t)num_rng_u64(&bench->rng);
    }
  }
  if (out->mem_we) {
    store(words_at(bench, &bench->rtl_memory, out->mem_waddr), out->mem_wmask, out->mem_wdata);
  }
}

// The words of a beat, the highest lane first; those that the mask leaves out count as 0.
static void record_words(const gm_bench_t *bench, const uint32_t *words, uint32_t mask) {
  for (uint32_t lane = bench->model.lanes; lane-- > 0;) {
    fprintf(bench->record, "%08" PRIx32, (mask >> lane & 1u) != 0u ? words[lane] : 0u);
  }
  fputc(' ', bench->record);
}

// Writes the cycle's pins as a line. The fields of a request, read, write or response are there if there is one.
static void record_cycle(const gm_bench_t *bench, const gm_dut_out_t *out) {
  const gm_dut_in_t *in = &bench->in;
  FILE *file = bench->record;
  if (file == NULL) {
    return;
  }
  fprintf(file, "%d %d %d %d ", in->rst_n, in->clear, in->req_valid, in->rsp_ready);
  record_words(bench, in->mem_rdata, UINT32_MAX);
  if (in->req_valid) {
    fprintf(file, "%" PRIx32 " %" PRIx32 " %" PRIx32 " %" PRIx32 " %" PRIx32 " ", in->req.op & 31u, in->req.addr,
            in->req.mask, in->req.len, in->req.tag);
    record_words(bench, in->req.data, UINT32_MAX);
  }
  fprintf(file, "%d %d %d %d %" PRIx32 " %" PRIx32 " %" PRIx32 " %" PRIx32 " ", out->req_ready, out->rsp_valid,
          out->mem_re, out->mem_we, out->guards, out->cnt_beats, out->cnt_guards, out->cnt_stalls);
  fprintf(file, "%" PRIx32 " %" PRIx32 " ", out->rsp_valid ? out->rsp_tag : 0u, out->mem_re ? out->mem_raddr : 0u);
  const uint32_t mask = out->mem_we ? out->mem_wmask : 0u;
  fprintf(file, "%" PRIx32 " %" PRIx32 " ", out->mem_we ? out->mem_waddr : 0u, mask);
  record_words(bench, out->mem_wdata, mask);
  fputc('\n', file);
}

gm_bench_event_t gm_bench_cycle(gm_bench_t *bench, const gm_request_t *req, bool rsp_ready) {
  gm_dut_out_t out = {0};
  gm_bench_event_t event = {0};
  uint32_t rdata[GM_LANES];
  bench->in.req_valid = req != NULL;
  if (req != NULL) {
    bench->in.req = *req;
  }
  bench->in.rsp_ready = rsp_ready;
  gm_dut_settle(bench->dut, &bench->in, &out);
  record_cycle(bench, &out);
  event.accepted = req != NULL && out.req_ready;
  event.answered = rsp_ready && out.rsp_valid;
  compare_model(bench, req, &out);
  if (event.answered) {
    pop_tag(bench, out.rsp_tag);
    bench->answered++;
  }
  if (event.accepted) {
    push_tag(bench, req->tag);
    reference(bench, req);
    bench->accepted++;
  }
  serve_memory(bench, &out, rdata);
  gm_dut_edge(bench->dut);
  memcpy(bench->in.mem_rdata, rdata, sizeof rdata);
  bench->in.clear = false;
  bench->cycles++;
  return event;
}

void gm_bench_clear_next(gm_bench_t *bench) {
  bench->in.clear = true;
  bench->cleared = true;  // totals are then the model's word alone
}

static void compare_memories(gm_bench_t *bench) {
  for (uint32_t i = 0; i < GM_BENCH_BEATS && !bench->failed; ++i) {
    for (uint32_t lane = 0; lane < bench->model.lanes; ++lane) {
      const uint32_t expected = bench->ref_memory.beat[i][lane];
      expect(bench, "word in the RTL's memory", bench->rtl_memory.beat[i][lane], expected);
      expect(bench, "word in the model's memory", bench->model_memory.beat[i][lane], expected);
    }
  }
}

void gm_bench_finish(gm_bench_t *bench) {
  for (uint32_t i = 0; i < DRAIN_LIMIT && bench->tag_count > 0 && !bench->failed; ++i) {
    (void)gm_bench_cycle(bench, NULL, true);
  }
  (void)gm_bench_cycle(bench, NULL, true);  // the status after the last write
  expect(bench, "idle in the model", gm_atomic_idle(&bench->model), true);
  expect(bench, "requests never answered", bench->tag_count, 0);
  compare_memories(bench);
  if (!bench->cleared) {
    expect(bench, "total guard flags", bench->model.guards, bench->ref_guards);
    expect(bench, "total beats", bench->model.cnt_beats, bench->ref_beats);
    expect(bench, "total guarded lanes", bench->model.cnt_guards, bench->ref_guarded);
  }
}

void gm_bench_reset(gm_bench_t *bench) {
  const uint32_t lanes = gm_dut_lanes();
  gm_dut_out_t out = {0};
  bench->in.rst_n = true;
  bench->in.req_valid = false;
  gm_dut_settle(bench->dut, &bench->in, &out);
  bench->in.rst_n = false;  // no clock edge: the reset is asynchronous
  gm_dut_settle(bench->dut, &bench->in, &out);
  gm_atomic_reset(&bench->model);
  bench->model.lanes = lanes;
  bench->model.stages = gm_dut_stages();
  bench->model.types = gm_dut_types();
  record_cycle(bench, &out);
  expect(bench, "rsp_valid in reset", out.rsp_valid, false);
  expect(bench, "mem_we in reset", out.mem_we, false);
  compare_status(bench, &out);
  bench->in.rst_n = true;
  gm_dut_settle(bench->dut, &bench->in, &out);
  bench->ref_guards = 0;
  bench->ref_beats = 0;
  bench->ref_guarded = 0;
  bench->tag_count = 0;
  // Beats in flight may or may not have been written; from here on the RTL's memory counts.
  bench->model_memory = bench->rtl_memory;
  bench->ref_memory = bench->rtl_memory;
}

// Numbers around which operations do something: mostly normal, some special.
static uint32_t memory_word(num_rng_t *rng) {
  const uint64_t r = num_rng_u64(rng);
  const uint32_t sign_fraction = (uint32_t)r & 0x807fffffu;
  const uint32_t exponent = (uint32_t)(r >> 40) % 64u;
  switch ((r >> 32) & 15u) {
    case 0:
      return sign_fraction & 0x80000000u;
    case 1:
      return sign_fraction;
    case 2:
      return sign_fraction | 0x7f800000u;
    case 3:
      return (uint32_t)r;
    default:
      return sign_fraction | (96u + exponent) << 23;
  }
}

void gm_bench_init(gm_bench_t *bench, uint64_t seed, FILE *record) {
  memset(bench, 0, sizeof *bench);
  bench->record = record;
  num_rng_seed(&bench->rng, seed);
  bench->dut = gm_dut_new((uint32_t)seed | 1u);  // 0 would mean a seed of its own choice
  for (uint32_t i = 0; i < GM_BENCH_BEATS; ++i) {
    for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
      bench->rtl_memory.beat[i][lane] = memory_word(&bench->rng);
    }
  }
  gm_bench_reset(bench);
}

void gm_bench_free(gm_bench_t *bench) { gm_dut_delete(bench->dut); }
