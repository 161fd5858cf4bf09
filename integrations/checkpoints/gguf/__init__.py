"""GGUF files as transformers models: metadata to config, tensor names, architectures, loading."""
