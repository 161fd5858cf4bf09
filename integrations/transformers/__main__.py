"""Runs transformers' command line with torchpaged registered: `python -m torchpaged.integrations.transformers serve
MODEL --continuous-batching --attn-implementation torchpaged`."""

from __future__ import annotations

import torchpaged  # noqa: F401 - registers the attention

if __name__ == "__main__":
    from transformers.cli.transformers import main

    main()
