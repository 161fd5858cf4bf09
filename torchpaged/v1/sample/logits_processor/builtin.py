"""See `torchpaged.v1`."""

from torchpaged.logits_processors import process_dict_updates

__all__ = ["process_dict_updates"]
