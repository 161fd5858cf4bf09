"""Runs transformers' command line with torchpaged registered, which importing this package does:

python -m torchpaged.integrations.transformers serve MODEL --continuous-batching --attn-implementation torchpaged
"""

from __future__ import annotations

if __name__ == "__main__":
    from transformers.cli.transformers import main

    main()
