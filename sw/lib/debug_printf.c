// SPDX-License-Identifier: Apache-2.0
#include "lib/debug_printf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal/hal.h"

// The part of a conversion between % and the letter.
typedef struct spec {
  bool zeros, left;
  uint32_t width;
  uint32_t longs;  // 2: 64 bits
} spec_t;

static void put(char c) { hal_write(REG_PUTC, (uint8_t)c); }

static void put_padded(const spec_t *spec, const char *text, uint32_t length) {
  const uint32_t padding = spec->width > length ? spec->width - length : 0;
  for (uint32_t i = 0; !spec->left && i < padding; ++i) {
    put(' ');
  }
  for (uint32_t i = 0; i < length; ++i) {
    put(text[i]);
  }
  for (uint32_t i = 0; spec->left && i < padding; ++i) {
    put(' ');
  }
}

static void put_number(const spec_t *spec, uint64_t value, uint32_t base, bool negative) {
  static const char digits[] = "0123456789abcdef";
  char text[64];
  uint32_t at = sizeof text;
  do {
    text[--at] = digits[value % base];
    value /= base;
  } while (value != 0);
  const uint32_t most = sizeof text - 1;
  const uint32_t width = spec->width < most ? spec->width : most;
  while (spec->zeros && !spec->left && sizeof text - at + negative < width) {
    text[--at] = '0';
  }
  if (negative) {
    text[--at] = '-';
  }
  put_padded(spec, text + at, (uint32_t)sizeof text - at);
}

static uint32_t length_of(const char *text) {
  uint32_t length = 0;
  while (text[length] != '\0') {
    ++length;
  }
  return length;
}

static const char *read_spec(const char *format, spec_t *spec) {
  *spec = (spec_t){0};
  for (; *format == '0' || *format == '-'; ++format) {
    spec->zeros |= *format == '0';
    spec->left |= *format == '-';
  }
  for (; *format >= '0' && *format <= '9'; ++format) {
    spec->width = spec->width * 10 + (uint32_t)(*format - '0');
  }
  for (; *format == 'l' || *format == 'z'; ++format) {
    spec->longs = 2;  // all 64 bits, on both machines
  }
  return format;
}

static void put_signed(const spec_t *spec, int64_t value) {
  put_number(spec, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, value < 0);
}

void debug_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (; *format != '\0'; ++format) {
    if (*format != '%') {
      put(*format);
      continue;
    }
    spec_t spec;
    format = read_spec(format + 1, &spec);
    switch (*format) {
      case 'd':
      case 'i':
        put_signed(&spec, spec.longs != 0 ? va_arg(arguments, int64_t) : va_arg(arguments, int));
        break;
      case 'u':
      case 'x':
        put_number(&spec, spec.longs != 0 ? va_arg(arguments, uint64_t) : va_arg(arguments, unsigned),
                   *format == 'u' ? 10 : 16, false);
        break;
      case 'p':
        put('0');
        put('x');
        put_number(&spec, (uintptr_t)va_arg(arguments, void *), 16, false);
        break;
      case 's': {
        const char *text = va_arg(arguments, const char *);
        put_padded(&spec, text, length_of(text));
        break;
      }
      case 'c': {
        const char c = (char)va_arg(arguments, int);
        put_padded(&spec, &c, 1);
        break;
      }
      case '\0':
        va_end(arguments);
        return;
      default:
        put(*format);
        break;
    }
  }
  va_end(arguments);
}
