"""Makes a faster program of a model's forward: trace -> clean -> fuse -> pack -> codegen."""
