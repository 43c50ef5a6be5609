// GlobalTensor: an array in global memory with five dimensions, the last of which runs fastest.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_GLOBAL_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_GLOBAL_H

#include "pto/tile.h"

namespace pto {

enum class Layout { ND, DN, NZ };

// Five numbers, of which those that are DYNAMIC are given to the constructor, all of them or all five.
template <int... fixed>
struct Sizes {
  static_assert(sizeof...(fixed) == 5, "Shape and Stride have five dimensions");
  static constexpr int given[5] = {fixed...};
  int shape[5] = {fixed...};

  AMALGAM_INLINE Sizes() = default;
  template <typename... A, typename = std::enable_if_t<(std::is_convertible_v<A, int> && ...) && (sizeof...(A) > 0)>>
  AMALGAM_INLINE Sizes(A... values) {
    static_assert(sizeof...(A) == 5 || sizeof...(A) == ((fixed == DYNAMIC) + ...),
                  "Shape and Stride: give those numbers that are DYNAMIC, or all five");
    const int list[] = {static_cast<int>(values)...};
    for (int i = 0, next = 0; i < 5; ++i) {
      if (sizeof...(A) == 5 || given[i] == DYNAMIC) {
        shape[i] = list[next++];
      }
    }
  }
  // A number that is fixed is one for the compiler, too.
  constexpr int64_t at(int i) const { return given[i] == DYNAMIC ? shape[i] : given[i]; }
};
template <int n0, int n1, int n2, int n3, int n4>
struct Shape : Sizes<n0, n1, n2, n3, n4> {
  using Sizes<n0, n1, n2, n3, n4>::Sizes;
};
template <int n0, int n1, int n2, int n3, int n4>
struct Stride : Sizes<n0, n1, n2, n3, n4> {
  using Sizes<n0, n1, n2, n3, n4>::Sizes;
};

template <typename T, int rows, int columns, Layout layout = Layout::ND>
using TileShape2D = Shape<1, 1, 1, rows, columns>;
// Of an array whose rows lie end to end.
template <typename T, int rows, int columns, Layout layout = Layout::ND>
using BaseShape2D = Stride<rows * columns, rows * columns, rows * columns, columns, 1>;

template <typename T, typename ShapeType, typename StrideType, Layout layout = Layout::ND>
class GlobalTensor {
 public:
  using DType = T;
  static constexpr Layout layout_of = layout;

  AMALGAM_INLINE explicit GlobalTensor(T *pointer, const ShapeType &shape = {}, const StrideType &stride = {})
      : pointer_(pointer), shape_(shape), stride_(stride) {}
  T *data() const { return pointer_; }
  void place(T *pointer) { pointer_ = pointer; }
  int64_t GetShape(int i) const { return shape_.at(i); }
  int64_t GetStride(int i) const { return stride_.at(i); }

 private:
  T *pointer_;
  ShapeType shape_;
  StrideType stride_;
};

template <typename T, typename S, typename R, Layout layout>
AMALGAM_INLINE void TASSIGN(GlobalTensor<T, S, R, layout> &array, amalgam::same_t<T> *pointer) {
  array.place(pointer);
}

}  // namespace pto

#endif
