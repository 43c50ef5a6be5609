// Calls of PTO, a result each, for tiles.py to compare.  Rows are those of whole tiles, and of parts of them.
// SPDX-License-Identifier: Apache-2.0
#include <pto/pto-inst.hpp>
#include "acl/acl.h"
using namespace pto;

template <typename T, int R, int C, int RV = R, int CV = C, PadValue P = PadValue::Null>
using Rows = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, RV, CV, SLayout::NoneBox, 512, P>;
template <typename T, int R>
using Column = Tile<TileType::Vec, T, R, 1, BLayout::ColMajor, R, 1>;
template <typename T>
using Array = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

constexpr int R = 16, C = 200;  // of the inputs
constexpr uint32_t PLACE = 16384, WORK = 8 * PLACE;

struct Results {
  __gm__ float *to;
  template <typename T>
  __attribute__((noinline)) AICORE void store(const T &tile) {  // side by side, behind what was stored before
    using E = typename T::DType;
    const int rows = tile.GetValidRow(), columns = tile.GetValidCol();
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    const bool list = !T::isRowMajor;
    TSTORE(Array<E>((__gm__ E *)to, {rows, columns}, {list ? 1 : columns}), tile);
    to += (rows * columns * sizeof(E) + 31) / 32 * 8;
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
};

template <typename T>
__attribute__((noinline)) AICORE void load(const T &tile, GM_ADDR from) {
  using E = typename T::DType;
  pipe_barrier(PIPE_ALL);
  TLOAD(tile, Array<E>((__gm__ E *)from, {tile.GetValidRow(), tile.GetValidCol()}, {C}));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
}

template <typename T, int columns, int valid>
AICORE void elements(Results &y, GM_ADDR x, GM_ADDR w) {
  Rows<T, R, columns, R, valid> a, b, c;
  Rows<T, 1, columns, 1, valid> row, sums;
  Column<T, R> values;
  Rows<float, R, columns> work;
  TASSIGN(a, 0);
  TASSIGN(b, PLACE);
  TASSIGN(c, 2 * PLACE);
  TASSIGN(row, PLACE + columns * sizeof(T));
  TASSIGN(sums, 3 * PLACE);
  TASSIGN(values, 4 * PLACE);
  TASSIGN(work, WORK);
  load(a, x);
  load(b, w);
#define CALL(...) (__VA_ARGS__), y.store(c)
  CALL(TADD(c, a, b));
  CALL(TSUB(c, a, b));
  CALL(TMUL(c, a, b));
  CALL(TDIV(c, a, b));
  CALL(TMAX(c, a, b));
  CALL(TMIN(c, a, b));
  CALL(TADDS(c, a, 2));
  CALL(TSUBS(c, a, 3));
  CALL(TMULS(c, a, 0.5f));
  CALL(TDIVS(c, a, 3));
  CALL(TMAXS(c, a, 0.25f));
  CALL(TMINS(c, a, 0.25f));
  CALL(TNEG(c, a));
  CALL(TRELU(c, a));
  CALL(TLRELU(c, a, 0.5f));
  CALL(TABS(c, a));
  CALL(TSQRT(c, c));
  CALL(TRECIP(c, b));
  CALL(TEXP(c, a));
  CALL(TLOG(c, c));
  CALL(TEXPANDS(c, 7));
  CALL(TAXPY(c, a, 2));
  CALL(TMOV(c, b));
  CALL(TROWSUM(values, a, work), pipe_barrier(PIPE_V), TROWEXPAND(c, values));
  CALL(TROWMAX(values, a, work), pipe_barrier(PIPE_V), TROWEXPANDSUB(c, a, values));
  CALL(TROWMIN(values, a, work), pipe_barrier(PIPE_V), TROWEXPANDMUL(c, a, values, work));
  CALL(TROWEXPANDDIV(c, b, values));
  CALL(TCOLSUM(sums, a, work, false), pipe_barrier(PIPE_V), TCOLEXPAND(c, sums));
  CALL(TCOLMAX(sums, a), pipe_barrier(PIPE_V), TCOLEXPANDSUB(c, a, sums));
  CALL(TCOLEXPANDMUL(c, a, row));
  y.store(values);
}

// What is put behind values, and in other types.
AICORE void padded(Results &y, GM_ADDR x, GM_ADDR h) {
  Rows<float, R, 48, R, 48, PadValue::Min> all;
  Rows<float, R, 48, DYNAMIC, DYNAMIC, PadValue::Min> part(11, 37);
  Rows<half, R, 48> narrow;
  Rows<int32_t, R, 48> whole;
  TASSIGN(all, 0);
  TASSIGN(part, 0);
  TASSIGN(narrow, PLACE);
  TASSIGN(whole, 2 * PLACE);
  load(part, x);
  TFILLPAD_INPLACE(all, part), y.store(all);
  TCVT(narrow, all, RoundMode::CAST_NONE), y.store(narrow);
  TMAXS(all, all, -100), pipe_barrier(PIPE_V), TCVT(whole, all, RoundMode::CAST_FLOOR), y.store(whole);
  Rows<float, R, 64, R, 64, PadValue::Zero> other;
  TASSIGN(other, 3 * PLACE);
  TFILLPAD(other, part), y.store(other);
  Rows<half, R, 48, R, 45> halves;
  TASSIGN(halves, 4 * PLACE);
  load(halves, h);
  Rows<float, R, 48, R, 45> wide;
  TASSIGN(wide, 5 * PLACE);
  TCVT(wide, halves), y.store(wide);
}

AICORE void turned(Results &y, GM_ADDR x, GM_ADDR h) {
  Rows<float, R, 40> a;
  Rows<float, 40, R> b;
  Rows<half, R, 32> c;
  Rows<half, 32, R> d;
  TASSIGN(a, 0);
  TASSIGN(b, PLACE);
  TASSIGN(c, 2 * PLACE);
  TASSIGN(d, 3 * PLACE);
  load(a, x);
  TTRANS(b, a, a), y.store(b);
  load(c, h);
  TTRANS(d, c, c), y.store(d);
  // A column of the array becomes a list, and a row of another.
  Tile<TileType::Vec, float, 8, R, BLayout::ColMajor, 1, DYNAMIC> list(R);
  TASSIGN(list, 4 * PLACE);
  using Line = Shape<1, 1, 1, 1, DYNAMIC>;
  pipe_barrier(PIPE_ALL);
  TLOAD(list, GlobalTensor<float, Line, Stride<1, 1, 1, 1, C>, Layout::DN>((__gm__ float *)x + 3, Line(R)));
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  TSTORE(GlobalTensor<float, Line, Stride<1, 1, 1, 1, 1>, Layout::DN>(y.to, Line(R)), list);
  y.to += R;
}

AICORE void chosen(Results &y, GM_ADDR x, GM_ADDR w, GM_ADDR i) {
  Rows<float, R, 96> a, b, c;
  Rows<uint8_t, R, 32> bits;
  Rows<int32_t, R, 96> index, more, work;
  TASSIGN(a, 0);
  TASSIGN(b, PLACE);
  TASSIGN(c, 2 * PLACE);
  TASSIGN(bits, 3 * PLACE);
  TASSIGN(index, 4 * PLACE);
  TASSIGN(more, 5 * PLACE);
  TASSIGN(work, 6 * PLACE);
  load(a, x);
  load(b, w);
  load(index, i);
  CALL(TCMP(bits, a, b, CmpMode::GT), pipe_barrier(PIPE_V), TSEL(c, bits, a, b, work));
  CALL(TCMPS(bits, a, 0, CmpMode::LE), pipe_barrier(PIPE_V), TSELS(c, bits, a, work, 9));
  CALL(TGATHER(c, a, index, work));
  TSHLS(more, index, 3), y.store(more);
  TXOR(work, index, more, a), y.store(work);
  Rows<float, 1, 96> list, pairs_of_two;
  Rows<uint32_t, 1, 96> places;
  Rows<float, 1, 192> pairs, sorted;
  Rows<float, 1, 64> one, two, three;
  TASSIGN(list, PLACE);
  TASSIGN(places, 2 * PLACE);
  TASSIGN(pairs, 3 * PLACE);
  TASSIGN(sorted, 5 * PLACE);
  TASSIGN(one, 3 * PLACE);
  TASSIGN(two, 3 * PLACE + 256);
  TASSIGN(three, 3 * PLACE + 512);
  TASSIGN(pairs_of_two, 6 * PLACE);
  TCI<decltype(places), uint32_t, 0>(places, 0);
  pipe_barrier(PIPE_V);
  TSORT32(pairs, list, places);
  pipe_barrier(PIPE_V);
  MrgSortExecutedNumList taken;
  TMRGSORT<decltype(sorted), decltype(sorted), decltype(one), decltype(one), decltype(one), false>(
      sorted, taken, sorted, one, two, three);
  pipe_barrier(PIPE_V);
  TGATHER<decltype(pairs_of_two), decltype(sorted), MaskPattern::P0101>(pairs_of_two, sorted);
  y.store(pairs_of_two);
}

extern "C" __global__ AICORE void tiles(GM_ADDR x, GM_ADDR w, GM_ADDR h, GM_ADDR g, GM_ADDR i, GM_ADDR y) {
  if (get_subblockid() != 0 || get_block_idx() != 0) return;
  Results results{(__gm__ float *)y};
  elements<float, C, 197>(results, x, w);  // several, and a part
  elements<half, 32, 32>(results, h, g);   // rows that lie end to end
  padded(results, x, h);
  turned(results, x, h);
  chosen(results, x, w, i);
}
