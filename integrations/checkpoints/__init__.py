"""Reads and writes checkpoints: safetensors folders, quantised files, GGUF."""
