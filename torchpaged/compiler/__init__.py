"""Makes a faster program of a model's forward: trace -> clean -> fuse -> pack -> codegen.

- trace: `tracer` (with `graph`, `layer_dedup`, `fake_values`, `dispatch_mode`) makes a flat graph of operators.
- clean, fuse: `passes` (with `rope_pass`, `linear_pass`, `batch_invariance_pass`, `patterns`) rewrites the graph.
- pack: `weight_packing` packs the constant weights of linear layers.
- codegen: `program` (with `codegen`, `fusion`, `opcodes`) makes C++ programs, `graph_module` makes Python.

Two drivers: `optimize` for transformers' models in `LLM`, `backend` (with `graph_inputs`) for `torch.compile`.
"""
