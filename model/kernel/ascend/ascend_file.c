// Section .ascend of a compiled file.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/ascend/ascend.h"

static Elf_Data *find_section(Elf *elf, const char *wanted) {
  size_t names = 0;
  if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0) {
    return NULL;
  }
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) == NULL ? NULL : elf_strptr(elf, names, header.sh_name);
    if (name != NULL && strcmp(name, wanted) == 0) {
      return elf_getdata(section, NULL);
    }
  }
  return NULL;
}

// The file may be anybody's.
static bool is_sound(const ascend_kernel_t *kernel) {
  bool sound = kernel->magic == ASCEND_MAGIC && kernel->params <= ASCEND_PARAMS &&
               memchr(kernel->name, '\0', ASCEND_NAME) != NULL;
  for (uint32_t i = 0; sound && i < kernel->params; ++i) {
    const ascend_param_t *param = &kernel->param[i];
    sound = param->kind <= ASCEND_STRUCT && param->bytes <= ASCEND_SLOTS * 8 &&
            memchr(param->name, '\0', ASCEND_NAME) != NULL;
  }
  return sound;
}

static bool take_kernels(const Elf_Data *data, ascend_kernel_t **kernels, size_t *count) {
  *count = data == NULL || data->d_buf == NULL ? 0 : data->d_size / sizeof **kernels;
  *kernels = *count == 0 ? NULL : malloc(*count * sizeof **kernels);
  if (*kernels == NULL) {
    return false;
  }
  memcpy(*kernels, data->d_buf, *count * sizeof **kernels);
  for (size_t i = 0; i < *count; ++i) {
    if (!is_sound(&(*kernels)[i])) {
      free(*kernels);
      *kernels = NULL;
      return false;
    }
  }
  return true;
}

bool ascend_read_kernels(const char *file, ascend_kernel_t **kernels, size_t *count, base_error_t *error) {
  elf_version(EV_CURRENT);
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  Elf *elf = descriptor < 0 ? NULL : elf_begin(descriptor, ELF_C_READ, NULL);
  const bool good = take_kernels(find_section(elf, ".ascend"), kernels, count);
  elf_end(elf);
  if (descriptor >= 0) {
    close(descriptor);
  }
  return good || base_fail(error, "%s: has no Ascend C kernel; `amalgam ascend KERNEL.cpp` makes such files", file);
}
