// A model that `torchpaged export` wrote, in a program without Python: its program, its caches, and a step of it.
//
// The caller assigns blocks to sequences; block 0 is reserved for padding.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

extern "C" const char* torchpaged_version();

namespace torchpaged {

// A sequence's part of a step: any number of tokens behind those that are cached, so a prompt, a part of one or one
// token more.
struct Query {
  std::vector<int64_t> tokens;
  int64_t first = 0;  // position of the first of them
  // For each group of layers, the physical block of each logical block, up to the block of the last of `tokens`.
  std::vector<std::vector<int32_t>> tables;
};

class ExportedModel {
 public:
  // Allocates caches of num_blocks blocks. Throws std::invalid_argument for a file that is not an exported model.
  ExportedModel(const std::string& path, int64_t num_blocks) : loader_(loader(path)), metadata_(loader_.get_metadata()) {
    if (!torchpaged_version()) throw std::logic_error("torchpaged: its library is not linked");
    if (num_blocks < 1) throw std::invalid_argument("torchpaged: num_blocks is " + std::to_string(num_blocks));
    block_size_ = number(path, "torchpaged_block_size");
    num_groups_ = number(path, "torchpaged_num_groups");
    vocab_size_ = number(path, "torchpaged_vocab_size");
    max_model_len_ = number(path, "torchpaged_max_model_len");
    least_ = number(path, "torchpaged_least");
    for (int64_t i = 0, count = number(path, "torchpaged_num_caches"); i < count; ++i)
      caches_.push_back(cache(field(path, "torchpaged_cache_" + std::to_string(i)), num_blocks));
  }

  int64_t block_size() const { return block_size_; }
  int64_t num_groups() const { return num_groups_; }
  int64_t vocab_size() const { return vocab_size_; }
  int64_t max_model_len() const { return max_model_len_; }  // tokens of a sequence
  // The caches of all layers, one after the other: keys, values, and scales if quantised. [num_blocks, ...] each.
  const std::vector<at::Tensor>& caches() const { return caches_; }

  // Returns the logits of each query's last token, [queries, vocab_size], and writes the caches. Throws
  // std::invalid_argument for tokens, positions and blocks that do not exist, before anything is written.
  at::Tensor step(const std::vector<Query>& queries) {
    std::vector<int64_t> ids, positions, rows;
    std::vector<int32_t> lens, starts{0};
    for (const Query& query : queries) {
      check(query);
      for (size_t i = 0; i < query.tokens.size(); ++i) {
        ids.push_back(query.tokens[i]);
        positions.push_back(query.first + int64_t(i));
      }
      rows.push_back(int64_t(ids.size()) - 1);
      starts.push_back(int32_t(ids.size()));
      lens.push_back(int32_t(query.first + int64_t(query.tokens.size())));
    }
    // The program was compiled for sizes of `least` and more: empty sequences and padding tokens fill them up.
    pad(ids, 0);
    pad(positions, 0);
    pad(rows, 0);
    pad(lens, 0);
    starts.resize(lens.size() + 1, starts.back());
    std::vector<at::Tensor> inputs{tensor(ids), tensor(positions), tensor(rows)};
    for (int64_t group = 0; group < num_groups_; ++group) {
      std::vector<int64_t> slots = slots_of(queries, size_t(group));
      pad(slots, -1);
      inputs.insert(inputs.end(), {tensor(slots), tables_of(queries, size_t(group)), tensor(lens), tensor(starts)});
    }
    inputs.insert(inputs.end(), caches_.begin(), caches_.end());
    return loader_.run(inputs).at(0).narrow(0, 0, int64_t(queries.size()));
  }

 private:
  static torch::inductor::AOTIModelPackageLoader loader(const std::string& path) try {
    return {path, "model", /*run_single_threaded=*/true};
  } catch (const c10::Error& error) {
    throw std::invalid_argument("torchpaged: " + path + ": " + error.what_without_backtrace());
  }

  const std::string& field(const std::string& path, const std::string& name) const {
    auto found = metadata_.find(name);
    if (found == metadata_.end())
      throw std::invalid_argument("torchpaged: " + path + " has no " + name +
                                  ", which `torchpaged export` writes into models without chunked attention: export it anew");
    return found->second;
  }

  int64_t number(const std::string& path, const std::string& name) const { return std::stoll(field(path, name)); }

  // "bfloat16 16 2 64 : 2048 64 1024 1": a type, sizes behind num_blocks, strides.
  static at::Tensor cache(const std::string& text, int64_t num_blocks) {
    static const std::unordered_map<std::string, at::ScalarType> types{
        {"float32", at::kFloat}, {"float16", at::kHalf},         {"bfloat16", at::kBFloat16},
        {"int8", at::kChar},     {"float8_e4m3fn", at::kFloat8_e4m3fn}, {"float8_e5m2", at::kFloat8_e5m2}};
    std::istringstream words(text);
    std::string type, word;
    words >> type;
    std::vector<int64_t> sizes{num_blocks}, strides;
    while (words >> word && word != ":") sizes.push_back(std::stoll(word));
    while (words >> word) strides.push_back(std::stoll(word));
    return at::empty_strided(sizes, strides, at::dtype(types.at(type))).zero_();
  }

  // The program's own checks fail on another thread, where no exception can be caught.
  void check(const Query& query) const {
    if (query.tokens.empty()) throw std::invalid_argument("torchpaged: a query has no tokens");
    int64_t count = int64_t(query.tokens.size());
    if (query.first < 0 || query.first > max_model_len_ - count)
      throw std::invalid_argument("torchpaged: a query has " + std::to_string(count) + " tokens from position " +
                                  std::to_string(query.first) + " on, the model has max_model_len " +
                                  std::to_string(max_model_len_));
    for (int64_t token : query.tokens)
      if (token < 0 || token >= vocab_size_)
        throw std::invalid_argument("torchpaged: a query has token " + std::to_string(token) + ", vocab_size is " +
                                    std::to_string(vocab_size_));
    int64_t needed = (query.first + count + block_size_ - 1) / block_size_;
    if (int64_t(query.tables.size()) != num_groups_)
      throw std::invalid_argument("torchpaged: a query has " + std::to_string(query.tables.size()) +
                                  " tables, expected " + std::to_string(num_groups_));
    for (const auto& table : query.tables) {
      if (int64_t(table.size()) < needed)
        throw std::invalid_argument("torchpaged: a table has " + std::to_string(table.size()) +
                                    " blocks, expected at least " + std::to_string(needed));
      for (int32_t block : table)
        if (block < 0 || block >= caches_.at(0).size(0))
          throw std::invalid_argument("torchpaged: a table names block " + std::to_string(block) + ", there are " +
                                      std::to_string(caches_.at(0).size(0)));
    }
  }

  std::vector<int64_t> slots_of(const std::vector<Query>& queries, size_t group) const {
    std::vector<int64_t> slots;
    for (const Query& query : queries)
      for (size_t i = 0; i < query.tokens.size(); ++i) {
        int64_t position = query.first + int64_t(i);
        slots.push_back(query.tables[group][size_t(position / block_size_)] * block_size_ + position % block_size_);
      }
    return slots;
  }

  at::Tensor tables_of(const std::vector<Query>& queries, size_t group) const {
    size_t width = size_t(least_);
    for (const Query& query : queries) width = std::max(width, query.tables[group].size());
    at::Tensor tables = at::zeros({std::max(least_, int64_t(queries.size())), int64_t(width)}, at::kInt);
    for (size_t row = 0; row < queries.size(); ++row) {
      const auto& table = queries[row].tables[group];
      std::copy(table.begin(), table.end(), tables.data_ptr<int32_t>() + row * width);
    }
    return tables;
  }

  template <typename T>
  void pad(std::vector<T>& values, typename std::vector<T>::value_type filler) const {
    if (int64_t(values.size()) < least_) values.resize(size_t(least_), filler);
  }

  template <typename T>
  static at::Tensor tensor(const std::vector<T>& values) {
    return at::tensor(at::ArrayRef<T>(values), c10::CppTypeToScalarType<T>::value);
  }

  torch::inductor::AOTIModelPackageLoader loader_;
  std::unordered_map<std::string, std::string> metadata_;
  int64_t block_size_ = 0, num_groups_ = 0, vocab_size_ = 0, max_model_len_ = 0, least_ = 0;
  std::vector<at::Tensor> caches_;
};

}  // namespace torchpaged
