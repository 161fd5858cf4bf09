"""Names under which scripts written for vLLM import logits processors: `torchpaged.logits_processors` is their home."""
