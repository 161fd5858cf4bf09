// gated_delta_rule, mamba2_scan and linear_attention for some heads of one sequence, for any ISA.
//
// Works chunk by chunk on the rows that the step computes. S is the state at the chunk's beginning, and D[p][j] the decay
// from row j to row p. The output of row p is
//     decay to p * (query[p] . S) + sum over j of D[p][j] * (query[p] . key[j]) * u[j],
// where u[j] is what row j adds. The delta rule reads the state in the same way with row p's key, and u[p] corrects that.
// All sums over d and over j run in one order, whichever rows a step has, so a row's bits do not depend on the step.
#pragma once

#include "pointwise.h"
#include "products.h"
#include "states.h"

namespace torchpaged {
namespace {

// Rows whose sums over earlier rows are taken together.
constexpr int64_t kRowsTogether = 6;

// The memory of a unit, in floats. A token has `per` rows of products: its key's and its query's, or the query's alone.
struct RecurrenceScratch {
  int64_t per, chunk, keys, values, places;  // the last three in whole vectors: of a key, of a value, of a chunk
  float *key_rows, *product_rows, *key_columns, *dots, *weights, *based, *sums, *corrected, *given, *end_keys;
  float *gates, *decays, *totals, *times, *states, *left_keys;
  const float **rows, **left_rows;  // where the chunk's keys are, and with channel gates what is left of them
  size_t bytes;

  RecurrenceScratch(const RecurrenceParams& p, int64_t heads, char* memory) {
    per = p.kind == Recurrence::Delta ? 2 : 1;
    chunk = p.paged.chunk;
    keys = round_up(p.key_dim, kLanes);
    values = round_up(p.value_dim, kLanes);
    places = round_up(chunk, kLanes);
    int64_t used = 0;
    auto take = [&](int64_t floats) {
      float* part = (float*)memory + used;
      used += round_up(floats, 16);
      return part;
    };
    key_rows = take(chunk * keys);
    product_rows = take(per * chunk * keys);
    key_columns = take(keys * places);
    dots = take(per * chunk * places);
    weights = take(per * chunk * places);
    based = take(per * chunk * values);
    sums = take(per * kRowsTogether * values);
    corrected = take(chunk * values);
    given = take(chunk * values);
    end_keys = take(keys * places);
    gates = take(p.channel_gates ? chunk * keys : places);
    decays = take(most(keys, places));
    totals = take(most(keys, places));
    times = take(chunk * round_up(heads, kLanes));
    states = take(heads * p.key_dim * values);
    rows = (const float**)take(2 * chunk);
    left_keys = take(p.channel_gates ? chunk * keys : 0);
    left_rows = (const float**)take(p.channel_gates ? 2 * chunk : 0);
    if (memory && p.channel_gates)
      for (int64_t j = 0; j < chunk; ++j) left_rows[j] = left_keys + j * keys;
    bytes = size_t(used) * sizeof(float);
  }
};

[[maybe_unused]] size_t recurrence_scratch_bytes(const RecurrenceParams& p, int64_t heads) {
  return RecurrenceScratch(p, heads, nullptr).bytes;
}

// A head's state: in the cache, in scratch, or zeros (data is nullptr).
struct HeadState {
  const float* data;
  int64_t stride;  // floats
  int64_t ahead;   // bytes to the next head's, where this one's comes from memory; else 0
};

class RecurrenceRun {
 public:
  RecurrenceRun(const RecurrenceParams& p, const RecurrenceUnit& unit, char* memory)
      : p_(p), unit_(unit), tokens_(p.paged, unit.sequence), s_(p, unit.heads, memory) {}

  void run() {
    const PagedStates& paged = p_.paged;
    if (tokens_.seq_len <= tokens_.first) return;
    int64_t chunk = paged.chunk;
    for (int64_t entry = tokens_.first / chunk; entry * chunk < tokens_.seq_len; ++entry) {
      ChunkRows rows(tokens_, entry, chunk);
      token_ = tokens_.token + entry * chunk - tokens_.first;  // of the chunk's row 0, computed here or not
      kept_ = rows.begin > 0 ? tail_at(paged, unit_.sequence, entry, false) : nullptr;
      tail_ = tail_at(paged, unit_.sequence, entry, true);
      load_keys(rows);
      if (p_.kind == Recurrence::Mamba2) load_times(rows);
      for (int64_t i = 0; i < unit_.heads; ++i) head(rows, i);
    }
  }

 private:
  int64_t keys_in_row() const { return p_.key_heads * p_.key_dim; }
  // Where a head's numbers begin in a tail's row, in floats.
  int64_t value_at(int64_t head) const { return keys_in_row() + head * p_.value_dim; }
  int64_t gate_at(int64_t head) const {
    return keys_in_row() + p_.heads * p_.value_dim + head * (p_.channel_gates ? p_.key_dim : 1);
  }
  float* tail_row(char* slot, int64_t row) const { return (float*)(slot + row * p_.paged.tail_row_stride); }
  const char* of(const TokenRows& rows, int64_t row, int64_t head) const {
    return rows.data + (token_ + row) * rows.token_stride + head * rows.head_stride;
  }

  // The rows of a batch lie far apart: those of the next tokens are asked for before their turn.
  void read_ahead(const TokenRows& rows, const ChunkRows& chunk, int64_t row, int64_t head, int64_t n) const {
    constexpr int64_t kTokensAhead = 8;
    if (chunk.entry * p_.paged.chunk + row + kTokensAhead >= tokens_.seq_len) return;
    const char* place = of(rows, row + kTokensAhead, head);
    for (int64_t bytes = 0; bytes < n * kDTypeBytes[int(rows.type)]; bytes += 64) __builtin_prefetch(place + bytes);
  }

  // One token's key or query as it takes part in products.
  void load_key(const TokenRows& rows, int64_t row, float* target, float scale) const {
    load_floats(of(rows, row, unit_.key_head), rows.type, target, p_.key_dim, s_.keys);
    if (p_.normalize) {
      F squares = set1(0);
      for (int64_t d = 0; d < s_.keys; d += kLanes) squares = fma(load(target + d), load(target + d), squares);
      scale *= 1.0f / __builtin_sqrtf(reduce_add(squares) + 1e-6f);
    }
    if (scale != 1.0f)
      for (int64_t d = 0; d < s_.keys; d += kLanes) store(target + d, load(target + d) * set1(scale));
  }

  // Loads what the unit's heads share: keys and queries, stores keys in the tail, and multiplies keys.
  void load_keys(const ChunkRows& rows) {
    for (int64_t j = 0; j < rows.begin; ++j) s_.rows[j] = tail_row(kept_, j) + unit_.key_head * p_.key_dim;
    bool writes = unit_.head == unit_.key_head * (p_.heads / p_.key_heads);  // one of the units with this key
    for (int64_t j = rows.begin; j < rows.end; ++j) {
      float *key = s_.key_rows + j * s_.keys, *products = s_.product_rows + s_.per * j * s_.keys;
      read_ahead(p_.key, rows, j, unit_.key_head, p_.key_dim);
      read_ahead(p_.query, rows, j, unit_.key_head, p_.key_dim);
      load_key(p_.key, j, key, 1.0f);
      if (s_.per == 2) memcpy(products, key, size_t(s_.keys) * sizeof(float));
      load_key(p_.query, j, products + (s_.per - 1) * s_.keys, p_.scale);
      s_.rows[j] = key;
      if (tail_ && writes)
        memcpy(tail_row(tail_, j) + unit_.key_head * p_.key_dim, key, size_t(p_.key_dim) * sizeof(float));
    }
    if (p_.channel_gates) return;
    transpose_rows(s_.rows, rows.end, p_.key_dim, s_.key_columns, s_.places, rows.begin);
    for (int64_t j = rows.begin; j < rows.end; j += kRowsTogether) {  // no more columns than the last of the rows sees
      int64_t end = least(j + kRowsTogether, rows.end), first = s_.per * j;
      multiply({s_.product_rows + first * s_.keys, s_.keys, s_.key_columns, s_.places, p_.key_dim,
                s_.dots + first * s_.places, s_.places, nullptr, 0, nullptr, 0},
               s_.per * (end - j), round_up(end, kLanes));
    }
  }

  // Mamba2's steps: of the unit's heads, a row each.
  void load_times(const ChunkRows& rows) {
    int64_t stride = round_up(unit_.heads, kLanes);
    for (int64_t j = rows.begin; j < rows.end; ++j) {
      float* times = s_.times + j * stride;
      for (int64_t i = 0; i < unit_.heads; ++i) {
        times[i] = load_float(of(p_.gate, j, unit_.head + i), p_.gate.type);
        if (p_.time_bias) times[i] += p_.time_bias[unit_.head + i];
      }
      for (int64_t i = unit_.heads; i < stride; ++i) times[i] = 0;
      for (int64_t i = 0; i < stride; i += kLanes) {
        F time = load(times + i);
        if (p_.softplus) time = softplus(time);
        time = max(set1(p_.min_time), time);
        store(times + i, (F)-max(set1(-p_.max_time), (F)-time));
      }
    }
  }

  void head(const ChunkRows& rows, int64_t i) {
    int64_t head = unit_.head + i;
    HeadState state = state_before(rows, i);
    load_gates(rows, i);
    load_values(rows, i);
    if (p_.channel_gates)
      weigh_channels(rows);
    else
      weigh(rows);
    if (state.data) {
      int64_t first = s_.per * rows.begin;
      multiply({s_.product_rows + first * s_.keys, s_.keys, state.data, state.stride, p_.key_dim,
                s_.based + first * s_.values, s_.values, nullptr, 0, nullptr, state.ahead},
               s_.per * (rows.end - rows.begin), s_.values);
    }
    for (int64_t j = rows.begin; j < rows.end; j += kRowsTogether)
      results(j, least(j + kRowsTogether, rows.end), head, state.data != nullptr);
    write_tail(rows, head);
    if (rows.end == p_.paged.chunk) close(rows, i, state);
  }

  HeadState state_before(const ChunkRows& rows, int64_t i) {
    if (rows.entry == 0) return {nullptr, 0, 0};
    float* own = s_.states + i * p_.key_dim * s_.values;
    if (rows.entry > tokens_.first / p_.paged.chunk) return ended_[i];
    const char* data = state_at(p_.paged, unit_.sequence, rows.entry - 1, false) +
                       (unit_.head + i) * p_.paged.state_head_stride;
    if (s_.values == p_.value_dim)
      return {(const float*)data, p_.paged.state_row_stride / int64_t(sizeof(float)), p_.paged.state_head_stride};
    for (int64_t d = 0; d < p_.key_dim; ++d)
      load_floats(data + d * p_.paged.state_row_stride, DType::Float32, own + d * s_.values, p_.value_dim, s_.values);
    return {own, s_.values, 0};
  }

  // The logarithms of the chunk's decays so far.
  void load_gates(const ChunkRows& rows, int64_t i) {
    int64_t head = unit_.head + i, width = p_.channel_gates ? s_.keys : 1;
    for (int64_t j = 0; j < rows.end; ++j) {
      float* gate = s_.gates + j * width;
      if (p_.kind == Recurrence::Linear)
        *gate = p_.decay[head];
      else if (j < rows.begin)
        load_gate((char*)(tail_row(kept_, j) + gate_at(head)), gate);
      else if (p_.kind == Recurrence::Mamba2)
        *gate = s_.times[j * round_up(unit_.heads, kLanes) + i] * p_.decay[head];
      else
        load_gate(of(p_.gate, j, head), gate);
    }
  }

  void load_gate(const char* source, float* gate) const {
    if (p_.channel_gates)
      load_floats(source, DType::Float32, gate, p_.key_dim, s_.keys);
    else
      memcpy(gate, source, sizeof(float));
  }

  // The values that earlier rows have added, and what is given for the new ones.
  void load_values(const ChunkRows& rows, int64_t i) {
    int64_t head = unit_.head + i;
    for (int64_t j = 0; j < rows.begin; ++j) {
      for (int64_t d = 0; d < p_.value_dim; d += 16) read_soon(tail_row(kept_, j) + value_at(head + 1) + d);
      load_floats((char*)(tail_row(kept_, j) + value_at(head)), DType::Float32, s_.corrected + j * s_.values,
                  p_.value_dim, s_.values);
    }
    for (int64_t j = rows.begin; j < rows.end; ++j) {
      float *given = s_.given + j * s_.values, *added = s_.corrected + j * s_.values;
      read_ahead(p_.value, rows, j, head, p_.value_dim);
      load_floats(of(p_.value, j, head), p_.value.type, given, p_.value_dim, s_.values);
      if (p_.kind == Recurrence::Delta) continue;  // added once it is corrected
      float time = p_.kind == Recurrence::Mamba2 ? s_.times[j * round_up(unit_.heads, kLanes) + i] : 1.0f;
      for (int64_t d = 0; d < s_.values; d += kLanes) store(added + d, load(given + d) * set1(time));
    }
  }

  // Adds the gate of `row`: decays[j] becomes the sum of the gates of rows j + 1 to `row`, totals[row] that of rows 0 to
  // `row`.
  void add_gate(int64_t row) {
    float gate = s_.gates[row];
    int64_t v = 0;
    for (; v + kLanes <= row; v += kLanes) store(s_.decays + v, load(s_.decays + v) + set1(gate));
    store(s_.decays + v, select(uint64_t(1) << (row - v), set1(0), load(s_.decays + v) + set1(gate)));
    s_.totals[row] = (row ? s_.totals[row - 1] : 0.0f) + gate;
  }

  // weights[p][j] = dots[p][j] * D[p][j]; totals[p] = the decay of the chunk's first state up to row p.
  void weigh(const ChunkRows& rows) {
    for (int64_t v = 0; v < s_.places; v += kLanes) store(s_.decays + v, set1(0));
    for (int64_t row = 0; row < rows.end; ++row) {
      add_gate(row);
      if (row < rows.begin) continue;
      for (int64_t v = 0; v <= row; v += kLanes) {
        F left = exp(load(s_.decays + v));
        for (int64_t r = s_.per * row; r < s_.per * (row + 1); ++r)
          store(s_.weights + r * s_.places + v, load(s_.dots + r * s_.places + v) * left);
      }
    }
    for (int64_t v = rows.begin / kLanes * kLanes; v < rows.end; v += kLanes) store(s_.totals + v, exp(load(s_.totals + v)));
  }

  // As weigh(), with a gate for each dimension of the key: the decay is part of the keys in the dots, and of the rows that
  // are multiplied with the state, so totals are 1.
  void weigh_channels(const ChunkRows& rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const float* key = s_.key_rows + row * s_.keys;
      float* products = s_.product_rows + 2 * row * s_.keys;
      load_key(p_.query, row, products + s_.keys, p_.scale);  // anew for each head: they decay below
      for (int64_t d = 0; d < s_.keys; d += kLanes) store(s_.decays + d, set1(0));
      for (int64_t j = row; j >= 0; --j) {
        F of_key = set1(0), of_query = set1(0);
        for (int64_t d = 0; d < s_.keys; d += kLanes) {
          F left = exp(load(s_.decays + d)) * get_at<Float32>(s_.rows[j], d, p_.key_dim);
          of_key = fma(load(key + d), left, of_key);
          of_query = fma(load(products + s_.keys + d), left, of_query);
        }
        s_.weights[2 * row * s_.places + j] = reduce_add(of_key);
        s_.weights[(2 * row + 1) * s_.places + j] = reduce_add(of_query);
        add_channel_gates(j);
      }
      for (int64_t d = 0; d < s_.keys; d += kLanes) {
        F left = exp(load(s_.decays + d));
        store(products + d, load(key + d) * left);
        store(products + s_.keys + d, load(products + s_.keys + d) * left);
      }
      s_.totals[row] = 1.0f;
    }
  }

  void add_channel_gates(int64_t row) {
    for (int64_t d = 0; d < s_.keys; d += kLanes)
      store(s_.decays + d, load(s_.decays + d) + load(s_.gates + row * s_.keys + d));
  }

  // The rows [begin, end): sums over the rows before them together, then row by row, since each may need the last one.
  void results(int64_t begin, int64_t end, int64_t head, bool has_state) {
    int64_t per = s_.per, width = s_.values;
    multiply({s_.weights + per * begin * s_.places, s_.places, s_.corrected, width, begin, s_.sums, width, nullptr, 0,
              nullptr, 0},
             per * (end - begin), width);
    for (int64_t row = begin; row < end; ++row) {
      float* sum = s_.sums + per * (row - begin) * width;
      const float* based = s_.based + per * row * width;
      if (per == 2) {
        add_rows(sum, per * row, begin, row);
        correct(row, head, sum, has_state ? based : nullptr);
        sum += width;
        based += width;
      }
      add_rows(sum, per * row + per - 1, begin, row + 1);
      float* given = s_.given + row * width;
      float total = s_.totals[row], skip = p_.skip ? p_.skip[head] : 0.0f;
      for (int64_t d = 0; d < width; d += kLanes) {
        F result = load(sum + d);
        if (has_state) result = fma(set1(total), load(based + d), result);
        if (p_.skip) result = fma(set1(skip), load(given + d), result);
        store(sum + d, result);
      }
      int64_t bytes = kDTypeBytes[int(p_.value.type)];
      store_floats(sum, p_.out + ((token_ + row) * p_.heads + head) * p_.value_dim * bytes, p_.value.type, p_.value_dim);
    }
  }

  // sum += the weighted rows [begin, end).
  void add_rows(float* sum, int64_t weights, int64_t begin, int64_t end) const {
    multiply({s_.weights + weights * s_.places + begin, s_.places, s_.corrected + begin * s_.values, s_.values, end - begin,
              sum, s_.values, sum, s_.values, nullptr, 0},
             1, s_.values);
  }

  // u = beta (value - what the state says of the key).
  void correct(int64_t row, int64_t head, const float* sum, const float* based) {
    F beta = set1(load_float(of(p_.beta, row, head), p_.beta.type)), total = set1(s_.totals[row]);
    const float* given = s_.given + row * s_.values;
    float* corrected = s_.corrected + row * s_.values;
    for (int64_t d = 0; d < s_.values; d += kLanes) {
      F held = load(sum + d);
      if (based) held = fma(total, load(based + d), held);
      store(corrected + d, beta * (load(given + d) - held));
    }
  }

  void write_tail(const ChunkRows& rows, int64_t head) {
    if (!tail_) return;
    int64_t width = p_.channel_gates ? p_.key_dim : 1, stride = p_.channel_gates ? s_.keys : 1;
    for (int64_t j = rows.begin; j < rows.end; ++j) {
      float* row = tail_row(tail_, j);
      memcpy(row + value_at(head), s_.corrected + j * s_.values, size_t(p_.value_dim) * sizeof(float));
      if (p_.kind != Recurrence::Linear)
        memcpy(row + gate_at(head), s_.gates + j * stride, size_t(width) * sizeof(float));
    }
  }

  // The state at the chunk's end, into its slot if it has one, else, where the sequence goes on, into scratch.
  void close(const ChunkRows& rows, int64_t i, const HeadState& state) {
    const PagedStates& paged = p_.paged;
    int64_t chunk = paged.chunk;
    char* target = state_at(paged, unit_.sequence, rows.entry, true);
    bool goes_on = (rows.entry + 1) * chunk < tokens_.seq_len;
    if (!target && !goes_on) return;
    if (p_.channel_gates)
      end_channels();
    else
      end_keys();
    if (target) target += (unit_.head + i) * paged.state_head_stride;
    bool direct = target && s_.values == p_.value_dim;
    float* own = s_.states + i * p_.key_dim * s_.values;
    float* out = direct ? (float*)target : own;
    int64_t stride = direct ? paged.state_row_stride / int64_t(sizeof(float)) : s_.values;
    multiply({s_.end_keys, s_.places, s_.corrected, s_.values, chunk, out, stride, state.data, state.stride, s_.totals,
              0},
             p_.key_dim, s_.values);
    ended_[i] = {out, stride, 0};
    if (target && !direct)
      for (int64_t d = 0; d < p_.key_dim; ++d)
        memcpy(target + d * paged.state_row_stride, own + d * s_.values, size_t(p_.value_dim) * sizeof(float));
  }

  // end_keys[d][j] = key j's number d, as far as it is left at the chunk's end; totals[d] = what is left of the state.
  void end_keys() {
    int64_t last = p_.paged.chunk - 1;
    float left = s_.totals[last];
    for (int64_t v = 0; v <= last; v += kLanes) store(s_.decays + v, exp(load(s_.decays + v)));
    for (int64_t d = 0; d < p_.key_dim; ++d)
      for (int64_t v = 0; v <= last; v += kLanes)
        store(s_.end_keys + d * s_.places + v, load(s_.key_columns + d * s_.places + v) * load(s_.decays + v));
    for (int64_t d = 0; d < s_.keys; d += kLanes) store(s_.totals + d, set1(left));
  }

  void end_channels() {
    for (int64_t d = 0; d < s_.keys; d += kLanes) store(s_.decays + d, set1(0));
    for (int64_t j = p_.paged.chunk - 1; j >= 0; --j) {
      float* left = s_.left_keys + j * s_.keys;
      for (int64_t d = 0; d < s_.keys; d += kLanes)
        store(left + d, exp(load(s_.decays + d)) * get_at<Float32>(s_.rows[j], d, p_.key_dim));
      add_channel_gates(j);
    }
    transpose_rows(s_.left_rows, p_.paged.chunk, p_.key_dim, s_.end_keys, s_.places, 0);
    for (int64_t d = 0; d < s_.keys; d += kLanes) store(s_.totals + d, exp(load(s_.decays + d)));
  }

  const RecurrenceParams& p_;
  const RecurrenceUnit& unit_;
  NewTokens tokens_;
  RecurrenceScratch s_;
  int64_t token_ = 0;
  char *kept_ = nullptr, *tail_ = nullptr;
  HeadState ended_[kHeadsTogether];  // at the end of the last chunk
};

[[maybe_unused]] void recurrence(const RecurrenceParams& p, const RecurrenceUnit& unit, char* scratch) {
  RecurrenceRun(p, unit, scratch).run();
}

}  // namespace
}  // namespace torchpaged
