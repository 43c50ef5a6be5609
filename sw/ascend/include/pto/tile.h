// Tiles: a part of UB (or of a cube core's memories) with a type, a shape, and how much of it holds values.
//
//   Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, ValidRow, ValidCol>   row after row, each of whole blocks of
//   32 bytes Tile<TileType::Vec, T, Rows, Cols, BLayout::ColMajor, ...>                  column after column, likewise
//
// A valid size that is DYNAMIC is given to the constructor.  TASSIGN says where a tile lies, in bytes.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_TILE_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_TILE_H

#include "ascendc/vector.h"

namespace pto {

constexpr int DYNAMIC = -1;

enum class TileType { Vec, Mat, Left, Right, Acc };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };  // of fractals within a tile
enum class PadValue { Null, Zero, Max, Min };        // what TLOAD and TFILLPAD put behind values
struct TileConfig {
  static constexpr int fractalABSize = 512, fractalCSize = 1024;
};

template <TileType location, typename Element, int rows, int columns, BLayout layout = BLayout::RowMajor,
          int valid_rows = rows, int valid_columns = columns, SLayout box = SLayout::NoneBox, int fractal = 512,
          PadValue pad = PadValue::Null>
class Tile {
 public:
  using DType = Element;
  static constexpr TileType Loc = location;
  static constexpr int Rows = rows, Cols = columns, ValidRow = valid_rows, ValidCol = valid_columns;
  static constexpr bool isRowMajor = layout == BLayout::RowMajor;
  static constexpr PadValue PadVal = pad;
  static constexpr uint32_t bytes = uint32_t{rows} * uint32_t{columns} * uint32_t{sizeof(Element)};

  AMALGAM_INLINE Tile() = default;
  // The valid rows and columns, or that one of the two that is DYNAMIC.
  AMALGAM_INLINE Tile(int rows_now, int columns_now)
      : rows_(static_cast<uint32_t>(rows_now)), columns_(static_cast<uint32_t>(columns_now)) {}
  AMALGAM_INLINE explicit Tile(int now) {
    static_assert((valid_rows == DYNAMIC) != (valid_columns == DYNAMIC),
                  "a tile with one size needs one that is DYNAMIC");
    (valid_rows == DYNAMIC ? rows_ : columns_) = static_cast<uint32_t>(now);
  }
  constexpr int GetValidRow() const { return valid_rows == DYNAMIC ? static_cast<int>(rows_) : valid_rows; }
  constexpr int GetValidCol() const { return valid_columns == DYNAMIC ? static_cast<int>(columns_) : valid_columns; }

  // Its address; what it points to is not the scalar core's, but GetValue's and SetValue's.
  Element *data() const { return reinterpret_cast<Element *>(static_cast<uintptr_t>(address_)); }
  AMALGAM_INLINE Element GetValue(uint32_t index) const { return all().GetValue(index); }
  AMALGAM_INLINE void SetValue(uint32_t index, amalgam::same_t<Element> value) const { all().SetValue(index, value); }

  uint32_t address() const { return address_; }
  void place(uint64_t address) { address_ = static_cast<uint32_t>(address); }

 private:
  static_assert(location != TileType::Vec || box != SLayout::NoneBox ||
                    (layout == BLayout::RowMajor ? columns : rows) * int{sizeof(Element)} % amalgam::BLOCK == 0,
                "a tile of UB has rows (or columns, if they are stored one after the other) of a multiple of 32 bytes");
  AMALGAM_INLINE AscendC::LocalTensor<Element> all() const {
    static_assert(location == TileType::Vec, "GetValue and SetValue: of tiles of UB they are there");
    return AscendC::LocalTensor<Element>(address_, uint32_t{rows} * uint32_t{columns});
  }
  uint32_t address_ = 0;
  uint32_t rows_ = valid_rows == DYNAMIC ? 0 : valid_rows, columns_ = valid_columns == DYNAMIC ? 0 : valid_columns;
};

template <typename T, int rows, int columns, int valid_rows = rows, int valid_columns = columns>
using TileLeft = Tile<TileType::Left, T, rows, columns, BLayout::RowMajor, valid_rows, valid_columns, SLayout::RowMajor,
                      TileConfig::fractalABSize>;
template <typename T, int rows, int columns, int valid_rows = rows, int valid_columns = columns>
using TileRight = Tile<TileType::Right, T, rows, columns, BLayout::RowMajor, valid_rows, valid_columns,
                       SLayout::ColMajor, TileConfig::fractalABSize>;
template <typename T, int rows, int columns, int valid_rows = rows, int valid_columns = columns>
using TileAcc = Tile<TileType::Acc, T, rows, columns, BLayout::ColMajor, valid_rows, valid_columns, SLayout::RowMajor,
                     TileConfig::fractalCSize>;

}  // namespace pto

namespace amalgam {

template <typename T>
constexpr memory memory_of_tile = T::Loc == pto::TileType::Vec     ? IN_UB
                                  : T::Loc == pto::TileType::Mat   ? IN_L1
                                  : T::Loc == pto::TileType::Left  ? IN_L0A
                                  : T::Loc == pto::TileType::Right ? IN_L0B
                                                                   : IN_L0C;

}  // namespace amalgam

namespace pto {

// 256 bytes at the end of UB are the layer's.
template <typename T>
AMALGAM_INLINE void TASSIGN(T &tile, uint64_t address) {
  constexpr amalgam::memory in = amalgam::memory_of_tile<T>;
  amalgam::require(address + T::bytes <= amalgam::memory_bytes[in],
                   in == amalgam::IN_UB ? amalgam::PANIC_UB : amalgam::PANIC_BUFFERS);
  tile.place(address);
}

// The same bytes as another tile.
template <typename T, typename U>
AMALGAM_INLINE void TRESHAPE(T &tile, const U &of) {
  static_assert(T::Loc == U::Loc, "TRESHAPE: both tiles are in one memory");
  tile.place(of.address());
}

}  // namespace pto

namespace amalgam {

// A tile as an operand of vector instructions: rows of elements that lie side by side.
struct tile_rows {
  uint32_t at = 0, pitch = 0;  // bytes from row to row; 0: one row stands for all
  uint32_t size = 0;           // bytes of an element; 0: there is no such operand
  bool spread = false;         // a row is one block, over and over

  constexpr uint32_t from(uint32_t row, uint32_t column) const {
    return at + row * pitch + (spread ? 0 : column * size);
  }
  constexpr bool packed(uint32_t columns) const { return size == 0 || (pitch == columns * size && !spread); }
};

template <typename T>
AMALGAM_INLINE tile_rows rows_of_tile(const T &tile) {
  static_assert(T::Loc == pto::TileType::Vec, "of tiles of UB this is there; of those of cube cores it is not");
  static_assert(T::isRowMajor || T::Cols == 1, "a tile that is stored by columns has one, or this is not there");
  constexpr uint32_t size = sizeof(typename T::DType);
  return {tile.address(), T::isRowMajor ? uint32_t{T::Cols} * size : size, size};
}
// A tile's first row, again and again.
template <typename T>
AMALGAM_INLINE tile_rows same_row(const T &tile) {
  tile_rows rows = rows_of_tile(tile);
  rows.pitch = 0;
  return rows;
}

// Elements in their order in UB, of one row or one column.
template <typename T>
constexpr bool is_list = T::isRowMajor ? T::Rows == 1 : T::Cols == 1;

}  // namespace amalgam

#endif
