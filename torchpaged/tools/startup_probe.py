"""`python -m torchpaged.tools.startup_probe MODEL`: starts a model, computes one token, and prints the stages as JSON.

`torchpaged info MODEL --startup` runs it in fresh processes.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from torchpaged.errors import TorchpagedError
from torchpaged.tools.cli_utils import load_llm
from torchpaged.utils import startup


def main(model: str, settings: dict[str, Any]) -> int:
    """Run the probe and return the exit status: 2 for a model that cannot be loaded, with the reason on stderr."""
    from torchpaged.sampling_params import SamplingParams

    try:
        llm = load_llm(model, {**settings, "use_tqdm_on_load": False})
        llm.generate([[0]], SamplingParams(max_tokens=1), use_tqdm=False)
    except TorchpagedError as error:
        print(error, file=sys.stderr)
        return 2
    stages = [[each.name, each.begin, each.end, each.lane] for each in startup.stages()]
    print(json.dumps({"begin": startup.begin(), "seconds": startup.seconds(), "stages": stages}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], json.loads(sys.argv[2]) if sys.argv[2:] else {}))
