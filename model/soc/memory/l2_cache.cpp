// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/l2_cache.h"

#include <sys/mman.h>

#include <stdexcept>
#include <string>

namespace soc {
namespace {

constexpr uint64_t kSectorBytes = 64;
constexpr uint64_t kWordBytes = 64 * kSectorBytes;
constexpr uint64_t kGroupBytes = 16384;

uint64_t bits(uint64_t word) { return static_cast<uint64_t>(__builtin_popcountll(word)); }

}  // namespace

l2_cache::l2_cache(uint64_t capacity, uint64_t memory) : capacity_(capacity) {
  const uint64_t groups = (memory + kGroupBytes - 1) / kGroupBytes + 1;
  mapped_ = groups * (sizeof(group) + sizeof(link));
  void *map = groups > UINT32_MAX
                  ? MAP_FAILED
                  : mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    throw std::runtime_error("L2: no address space for the state of " + std::to_string(memory >> 20) +
                             " MiB of global memory");
  }
  groups_ = static_cast<group *>(map);
  links_ = reinterpret_cast<link *>(groups_ + groups);
}

l2_cache::~l2_cache() { munmap(groups_, mapped_); }

uint64_t l2_cache::read(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch, uint64_t *fetched) {
  const missed missed = touch<false>(base, rows, row_bytes, pitch);
  *fetched += missed.sectors * kSectorBytes;
  return missed.asked;
}

void l2_cache::write(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch) {
  touch<true>(base, rows, row_bytes, pitch);
}

void l2_cache::warm(uint64_t base, uint64_t bytes) {
  for (uint64_t at = base; at < base + bytes; at = (at / kGroupBytes + 1) * kGroupBytes) {
    links_[at / kGroupBytes + 1].warm = 1;
  }
}

template <bool kWrite>
l2_cache::missed l2_cache::touch(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch) {
  missed missed = {0, 0};
  if (row_bytes == 0) {
    return missed;
  }
  if (pitch == row_bytes && (base | pitch) % kSectorBytes == 0) {  // no sector in two rows
    row_bytes *= rows;
    rows = rows != 0;
  }
  for (uint64_t row = 0; row < rows; ++row) {
    const uint64_t begin = base + row * pitch;
    touch_row<kWrite>(begin, begin + row_bytes - 1, missed);
  }
  return missed;
}

// A row is cut into words of 64 sectors.
template <bool kWrite>
inline void l2_cache::touch_row(uint64_t begin, uint64_t last, missed &missed) {
  const uint64_t first_word = begin / kWordBytes;
  const uint64_t last_word = last / kWordBytes;
  const uint64_t first_sector = begin / kSectorBytes % 64;
  const uint64_t last_sector = last / kSectorBytes % 64;
  for (uint64_t word = first_word; word <= last_word; ++word) {
    uint64_t asked = UINT64_MAX << (word == first_word ? first_sector : 0);
    asked &= UINT64_MAX >> (word == last_word ? 63 - last_sector : 0);
    const uint64_t missing = touch_word<kWrite>(word, asked);
    if (missing != 0) {
      const uint64_t sectors = bits(missing);
      missed.sectors += sectors;
      missed.asked += sectors * kSectorBytes;
      if (word == first_word && (missing >> first_sector & 1) != 0) {
        missed.asked -= begin % kSectorBytes;
      }
      if (word == last_word && (missing >> last_sector & 1) != 0) {
        missed.asked -= kSectorBytes - 1 - last % kSectorBytes;
      }
    }
  }
}

// Returns those of the sectors asked for that were not present.
template <bool kWrite>
inline uint64_t l2_cache::touch_word(uint64_t word, uint64_t asked) {
  const uint32_t id = static_cast<uint32_t>(word / kWords) + 1;
  if (links_[0].older != id) {
    use(id);
  }
  group &g = groups_[id];
  uint64_t missing = asked & ~g.present[word % kWords];
  if (kWrite) {
    g.dirty[word % kWords] |= asked;
  }
  if (missing != 0) {
    g.present[word % kWords] |= missing;
    resident_ += bits(missing) * kSectorBytes;
    if (links_[id].warm != 0) {
      missing = 0;
    }
    if (resident_ > capacity_) {
      shrink();
    }
  }
  return missing;
}

// The group becomes the most recently used.
void l2_cache::use(uint32_t id) {
  if ((groups_[id].present[0] | groups_[id].present[1] | groups_[id].present[2] | groups_[id].present[3]) != 0) {
    unlink(id);
  }
  const uint32_t second = links_[0].older;
  links_[id].newer = 0;
  links_[id].older = second;
  links_[second].newer = id;
  links_[0].older = id;
}

void l2_cache::unlink(uint32_t id) {
  links_[links_[id].newer].older = links_[id].older;
  links_[links_[id].older].newer = links_[id].newer;
}

// The least recently used groups go until the rest fits.
void l2_cache::shrink() {
  while (resident_ > capacity_ && links_[0].newer != links_[0].older) {
    const uint32_t oldest = links_[0].newer;
    group &g = groups_[oldest];
    uint64_t dirty = 0;
    uint64_t first = 0;  // dirty sector, of the group's
    for (unsigned i = kWords; i-- > 0;) {
      resident_ -= bits(g.present[i]) * kSectorBytes;
      dirty += bits(g.dirty[i]) * kSectorBytes;
      if (g.dirty[i] != 0) {
        first = i * 64u + static_cast<unsigned>(__builtin_ctzll(g.dirty[i]));
      }
    }
    written_back_ += dirty;
    if (dirty != 0 && on_write_back) {
      on_write_back(uint64_t{oldest - 1} * kGroupBytes + first * kSectorBytes, dirty);
    }
    unlink(oldest);
    g = {};
    links_[oldest].warm = 0;
  }
}

}  // namespace soc
