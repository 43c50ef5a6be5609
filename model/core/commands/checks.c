// The checks that commands have in common.
// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "core/commands/command.h"

bool core_wrong(const core_checker_t *check, const char *format, ...) {
  const bool vec = check->operation != NULL;
  const int length =
      snprintf(check->error, CORE_ERROR_BYTES, "%s %s%s", core_command_name(check->command->header.opcode_),
               vec ? check->operation : "", vec ? " " : "");
  va_list args;
  va_start(args, format);
  vsnprintf(check->error + length, CORE_ERROR_BYTES - (size_t)length, format, args);
  va_end(args);
  return false;
}

const char *core_kind_text(core_kind_t kind) {
  static const char *const texts[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) text,
#include "hal/core_kinds.def"
  };
  return texts[kind];
}

bool core_one_or_more(const core_checker_t *check, const char *field, uint32_t value) {
  return value > 0 || core_wrong(check, "%s=0: expected 1 or more", field);
}

bool core_below(const core_checker_t *check, const char *field, uint32_t value, uint32_t limit) {
  return value < limit || core_wrong(check, "%s=%u: expected 0 to %u", field, value, limit - 1);
}

bool core_expect(const core_checker_t *check, bool right, const char *field, uint32_t value, const char *expected) {
  return right || core_wrong(check, "%s=%u: expected %s", field, value, expected);
}

static bool check_operand(const core_checker_t *check, const core_operand_t *operand) {
  const core_access_t *access = &operand->access;
  const unsigned long long base = access->base;
  const unsigned long long pitch = access->pitch;
  if (base % operand->align != 0) {
    return core_wrong(check, "%s=0x%llx: expected a multiple of %u", operand->field, base, operand->align);
  }
  if (operand->pitch_field != NULL && pitch % operand->align != 0) {
    return core_wrong(check, "%s=%llu: expected a multiple of %u", operand->pitch_field, pitch, operand->align);
  }
  if (access->write && access->rows > 1 && access->pitch < access->row_bytes) {
    return core_wrong(check, "%s=%llu: expected %llu or more, the rows written would overlap", operand->pitch_field,
                      pitch, (unsigned long long)access->row_bytes);
  }
  const unsigned long long extent = operand->extent;
  if (access->space == SPACE_GM) {
    return extent <= UINT64_MAX - base ||
           core_wrong(check, "%s=0x%llx: tile of %llu bytes leaves the address space", operand->field, base, extent);
  }
  const unsigned long long size = check->memory->bytes[access->space];
  const char *unit = access->space == SPACE_KV ? "rows" : "bytes";
  return (extent <= size && base <= size - extent) ||
         core_wrong(check, "%s=0x%llx: tile of %llu %s leaves %s of %llu %s", operand->field, base, extent, unit,
                    core_space_name(access->space), size, unit);
}

bool core_check_operands(const core_checker_t *check, const core_operand_t *operand, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!check_operand(check, &operand[i])) {
      return false;
    }
  }
  return true;
}

bool core_check_dim(const core_checker_t *check, uint32_t dim) {
  return dim == check->memory->engine->d ||
         core_wrong(check, "dim=%u: expected %zu, this engine's", dim, check->memory->engine->d);
}

bool core_check_keys(const core_checker_t *check, uint32_t keys, uint32_t stride) {
  return core_one_or_more(check, "keys", keys) && core_one_or_more(check, "stride", stride) &&
         (core_ceil_div(keys, stride) <= check->memory->engine->blocks ||
          core_wrong(check, "keys=%u: expected at most %zu blocks of stride=%u", keys, check->memory->engine->blocks,
                     stride));
}
