// For the C model (model/num, model/core): which instruction sets this compiler can target and this host has.
// Everything about the machine is asked here and nowhere else.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_ISA_H
#define AMALGAM_NUM_NUM_ISA_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define NUM_HAVE_X86 1
#define NUM_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define NUM_TARGET_AVX512 __attribute__((target("avx512f,fma")))
#else
#define NUM_HAVE_X86 0
#endif

// Before a function with plain loops: compiles it once per x86-64 level, to be chosen at load time.
// The bits stay the same, since with -ffp-contract=off and without -ffast-math the vectoriser may
// not change an operation or the order of a sum. (The thread sanitizer instruments the chooser,
// which runs before the sanitizer is set up: no clones there. Tests define NUM_NO_CLONES to get at
// the levels this host would not choose.)
#if NUM_HAVE_X86 && defined(__gnu_linux__) && !defined(__clang__) && __GNUC__ >= 12 && \
    !defined(__SANITIZE_THREAD__) && !defined(NUM_NO_CLONES)
#define NUM_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define NUM_CLONED 1
#else
#define NUM_CLONES
#define NUM_CLONED 0
#endif

// For helpers that must be compiled inside of each clone of their caller.
#if defined(__GNUC__)
#define NUM_INLINE static inline __attribute__((always_inline))
#else
#define NUM_INLINE static inline
#endif

static inline bool num_host_has_avx2(void) {
#if NUM_HAVE_X86
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// Does a function with clones run as one that has AVX2?
static inline bool num_clone_has_avx2(void) {
#ifdef __AVX2__
  return true;
#else
  return NUM_CLONED && num_host_has_avx2();
#endif
}

static inline bool num_host_has_avx512(void) {
#if NUM_HAVE_X86
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

#endif  // AMALGAM_NUM_NUM_ISA_H
