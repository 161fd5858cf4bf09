"""Uses `torchpaged serve` with OpenAI's client: a completion, a stream, log-probabilities of a prompt, an error.

Run it from the root: `python examples/openai_client.py`; it needs `pip install '.[serve]' openai`.
"""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import openai

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"


@contextmanager
def served(*words):
    """Start a server and yield its URL; afterwards stop it, which lets running requests finish."""
    command = [sys.executable, "-m", "torchpaged.cli", "serve", str(MODEL), "--port", "0", *words]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if " at http" in line:
                yield line.split(" at ")[1].strip()
                return
        raise RuntimeError("the server has ended")
    finally:
        server.terminate()
        server.communicate()


if __name__ == "__main__":
    with served("--served-model-name", "stdlib-lm", "--num-blocks", "128", "--api-key", "me:a-secret-of-mine") as url:
        client = openai.OpenAI(base_url=url, api_key="a-secret-of-mine")
        answer = client.completions.create(
            model="stdlib-lm", prompt="def main(", max_tokens=12, seed=1, n=2, extra_body={"top_k": 20}
        )
        print([choice.text for choice in answer.choices], answer.usage.total_tokens)
        for chunk in client.completions.create(
            model="stdlib-lm", prompt="import os\n", max_tokens=12, temperature=0, stream=True
        ):
            print(chunk.choices[0].text, end="", flush=True)
        print()
        scored = client.completions.create(
            model="stdlib-lm", prompt="import os", max_tokens=0, echo=True, logprobs=1
        ).choices[0]
        print(list(zip(scored.logprobs.tokens, scored.logprobs.token_logprobs, strict=True)))
        try:
            client.completions.create(model="stdlib-lm", prompt="x", temperature=-1)
        except openai.BadRequestError as error:
            print(error.body["message"])
