// Generates with an exported model, without Python, over block tables of its own.
//
// generate MODEL.pt2 NUM_TOKENS PROMPT...   each prompt is a list of token ids separated by commas, as is the output.
// The first step computes all prompts, later ones a token of each sequence: the same call.
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torchpaged/exported_model.h>
#include <torchpaged/operators.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int64_t kNumBlocks = 256;

// The free blocks. Block 0 is never assigned: padding points to it. A finished sequence returns its blocks.
class Blocks {
 public:
  explicit Blocks(int64_t count) : free_(size_t(count) - 1) { std::iota(free_.rbegin(), free_.rend(), 1); }

  // Extends a table until it has room for this many tokens.
  void extend(std::vector<int32_t>& table, int64_t tokens, int64_t block_size) {
    while (int64_t(table.size()) * block_size < tokens) {
      if (free_.empty()) throw std::runtime_error("no block is free: raise kNumBlocks");
      table.push_back(free_.back());
      free_.pop_back();
    }
  }

  void release(std::vector<int32_t>& table) {
    free_.insert(free_.end(), table.begin(), table.end());
    table.clear();
  }

 private:
  std::vector<int32_t> free_;
};

struct Sequence {
  std::vector<int64_t> tokens;
  int64_t cached = 0;  // how many of the tokens have keys and values in the cache
  std::vector<std::vector<int32_t>> tables;
};

// Samples greedily: at temperature 0 the likeliest token is taken, and top_k, top_p, min_p and the seed have no effect.
std::vector<int64_t> next_tokens(const at::Tensor& logits, const std::vector<Sequence*>& sequences) {
  int64_t rows = logits.size(0);
  at::Tensor positions = at::empty({rows}, at::kLong);
  for (int64_t i = 0; i < rows; ++i)
    positions.data_ptr<int64_t>()[i] = int64_t(sequences[size_t(i)]->tokens.size());
  at::Tensor drawn = torchpaged::sample_tokens(logits, at::zeros({rows}), at::zeros({rows}, at::kInt), at::ones({rows}),
                                               at::zeros({rows}), at::zeros({rows}, at::kLong), positions);
  return {drawn.data_ptr<int64_t>(), drawn.data_ptr<int64_t>() + rows};
}

void generate(torchpaged::ExportedModel& model, std::vector<Sequence>& sequences, int64_t num_tokens) {
  c10::InferenceMode guard;
  Blocks blocks(kNumBlocks);
  std::vector<size_t> wanted;
  for (Sequence& sequence : sequences) {
    sequence.tables.resize(size_t(model.num_groups()));
    wanted.push_back(sequence.tokens.size() + size_t(num_tokens));
  }
  while (true) {
    std::vector<Sequence*> running;
    std::vector<torchpaged::Query> queries;
    for (size_t i = 0; i < sequences.size(); ++i) {
      Sequence& each = sequences[i];
      if (each.tokens.size() >= wanted[i]) {
        for (auto& table : each.tables) blocks.release(table);
        continue;
      }
      for (auto& table : each.tables) blocks.extend(table, int64_t(each.tokens.size()), model.block_size());
      queries.push_back({{each.tokens.begin() + each.cached, each.tokens.end()}, each.cached, each.tables});
      running.push_back(&each);
    }
    if (running.empty()) return;
    std::vector<int64_t> drawn = next_tokens(model.step(queries), running);
    for (size_t i = 0; i < running.size(); ++i) {
      running[i]->cached = int64_t(running[i]->tokens.size());
      running[i]->tokens.push_back(drawn[i]);
    }
  }
}

int64_t number(const std::string& text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw std::invalid_argument("'" + text + "' is not a whole number from 0 on");
  return value;
}

std::vector<int64_t> token_ids(const std::string& text) {
  std::vector<int64_t> tokens;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) tokens.push_back(number(word));
  return tokens;
}

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: generate MODEL.pt2 NUM_TOKENS PROMPT...\n");
    return 2;
  }
  torchpaged::ExportedModel model(argv[1], kNumBlocks);
  std::vector<Sequence> sequences;
  std::vector<size_t> lengths;
  for (int i = 3; i < argc; ++i) {
    Sequence sequence;
    sequence.tokens = token_ids(argv[i]);
    lengths.push_back(sequence.tokens.size());
    sequences.push_back(sequence);
  }
  generate(model, sequences, number(argv[2]));
  for (size_t i = 0; i < sequences.size(); ++i) {
    const auto& tokens = sequences[i].tokens;
    for (size_t k = lengths[i]; k < tokens.size(); ++k)
      std::printf("%lld%s", static_cast<long long>(tokens[k]), k + 1 < tokens.size() ? "," : "\n");
  }
  return 0;
} catch (const c10::Error& error) {
  std::fprintf(stderr, "generate: %s\n", error.what_without_backtrace());
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "generate: %s\n", error.what());
  return 1;
}
