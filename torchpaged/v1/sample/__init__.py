"""See `torchpaged.v1`."""
