// The views of replay.h: sizes, strides and where the first element is.
#include <algorithm>

#include "replay.h"
#include "scalar.h"

namespace torchpaged {

// The same elements with other sizes, one of which may be -1: a view where the dimensions that are split or joined lie
// without gaps, otherwise a copy.
View Program::reshaped(const View& view, const std::vector<Number>& sizes) const {
  int64_t count = view.count(), known = 1, open = -1;
  View shaped = view;
  shaped.dim = int64_t(sizes.size());
  if (shaped.dim > kMaxDim) throw std::invalid_argument("torchpaged: replay of more than 8 dimensions");
  for (int64_t d = 0; d < shaped.dim; ++d) {
    shaped.sizes[d] = value(sizes[size_t(d)]);
    if (shaped.sizes[d] < 0)
      open = d;
    else
      known *= shaped.sizes[d];
  }
  if (open >= 0) shaped.sizes[open] = known ? count / known : 0;
  // The dimensions that are split or joined lie without gaps, or the numbers are copied.
  int64_t from = view.dim - 1, to = shaped.dim - 1;
  bool fits = true;
  while (fits && to >= 0) {
    while (from >= 0 && view.sizes[from] == 1) --from;
    if (shaped.sizes[to] == 1) {
      shaped.strides[to--] = 1;
      continue;
    }
    if (from < 0) break;
    int64_t have = view.sizes[from], stride = view.strides[from], first = from, need = 1;
    shaped.strides[to] = stride;
    need = shaped.sizes[to--];
    while (fits && need != have) {
      if (need < have) {
        if (to < 0) fits = false;
        else {
          shaped.strides[to] = stride * need;
          need *= shaped.sizes[to--];
        }
      } else {
        int64_t next = first - 1;
        while (next >= 0 && view.sizes[next] == 1) --next;
        if (next < 0 || view.strides[next] != view.strides[first] * view.sizes[first]) fits = false;
        else {
          first = next;
          have *= view.sizes[next];
        }
      }
    }
    from = first - 1;
  }
  if (!fits) {
    View copy = materialised(view);
    std::copy(shaped.sizes, shaped.sizes + shaped.dim, copy.sizes);
    copy.dim = shaped.dim;
    copy.whole = false;
    contiguous_strides(copy);
    shaped = copy;
  }
  return shaped;
}

void Program::view(const Instruction& each) {
  View view = registers_[size_t(each.source)];
  view.owned = view.whole = false;
  int64_t axis = each.axis;
  auto drop = [&] {
    for (int64_t d = axis; d + 1 < view.dim; ++d) view.sizes[d] = view.sizes[d + 1], view.strides[d] = view.strides[d + 1];
    --view.dim;
  };
  auto move = [&](int64_t by) {
    view.offset += by;
    view.data += by * view.bytes;
  };
  switch (each.opcode) {
    case Opcode::Reshape: view = reshaped(view, each.numbers); break;
    case Opcode::Slice: {
      int64_t size = view.sizes[axis], start = value(each.numbers[0]), end = value(each.numbers[1]);
      int64_t step = each.numbers[2].value;
      start = most(0, least(size, start < 0 ? start + size : start));
      end = most(start, least(size, end < 0 ? end + size : end));
      move(start * view.strides[axis]);
      view.sizes[axis] = (end - start + step - 1) / step;
      view.strides[axis] *= step;
      break;
    }
    case Opcode::Select: {
      int64_t index = value(each.numbers[0]);
      move((index < 0 ? index + view.sizes[axis] : index) * view.strides[axis]);
      drop();
      break;
    }
    case Opcode::Permute: {
      View before = view;
      for (int64_t d = 0; d < view.dim; ++d) {
        int64_t from = each.numbers[size_t(d)].value;
        view.sizes[d] = before.sizes[from], view.strides[d] = before.strides[from];
      }
      break;
    }
    case Opcode::Expand: {
      View before = view;
      view.dim = int64_t(each.numbers.size());
      for (int64_t d = 0; d < view.dim; ++d) {
        int64_t from = d - (view.dim - before.dim), size = value(each.numbers[size_t(d)]);
        bool same = from >= 0 && (size < 0 || size == before.sizes[from]);
        view.sizes[d] = same ? before.sizes[from] : size;
        view.strides[d] = same ? before.strides[from] : 0;
      }
      break;
    }
    case Opcode::Unsqueeze:
      for (int64_t d = view.dim; d > axis; --d) view.sizes[d] = view.sizes[d - 1], view.strides[d] = view.strides[d - 1];
      ++view.dim;
      view.strides[axis] = axis + 1 < view.dim ? view.sizes[axis + 1] * view.strides[axis + 1] : 1;
      view.sizes[axis] = 1;
      break;
    default:  // Squeeze
      if (view.sizes[axis] == 1) drop();
  }
  int64_t reg = each.results[0];
  release(reg);
  registers_[size_t(reg)] = view;
}

}  // namespace torchpaged
