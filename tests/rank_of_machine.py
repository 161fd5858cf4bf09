"""A rank of a machine of its own, for tests: `loop FOLDER` generates until a rank fails; else the command line."""

from __future__ import annotations

import os
import sys

from torchpaged import LLM, SamplingParams, cli
from torchpaged.errors import EngineError
from torchpaged.execution.ranks import launch


def loop(folder: str) -> None:
    """Print "begun" after the first completion, and the error of the rank that has failed."""
    llm = LLM(folder, tensor_parallel_size=2, optimize=False, num_blocks=64, skip_tokenizer_init=True)
    params = SamplingParams(temperature=0, max_tokens=8, ignore_eos=True)
    said = ""
    while not said.startswith("rank"):
        try:
            llm.generate([[5, 6, 7]], params, use_tqdm=False)
        except EngineError as error:
            said = str(error)
        else:
            said = said or "begun"
        print(said, flush=True)


if __name__ == "__main__":
    launch.machine = lambda: f"machine {os.environ['RANK']}"
    if sys.argv[1] == "loop":
        loop(sys.argv[2])
    else:
        sys.exit(cli.main())
