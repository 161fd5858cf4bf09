"""Complete two prompts with one long prefix: the second finds it in the cache."""

import time

from torchpaged import LLM, SamplingParams

LONG_PROMPT = (
    '"""A module of helpers.\n\nEach function below takes a path and returns what is in the file."""\n\n'
    + "".join(
        f'def read_{name}(path):\n    """Return the {name} of a file."""\n    with open(path) as file:\n'
        f"        return {name}_of(file)\n\n\n"
        for name in ("lines", "words", "bytes", "numbers", "names", "dates", "letters", "records")
    )
)


def get_generation_time(llm, sampling_params, prompts):
    start_time = time.time()
    output = llm.generate(prompts, sampling_params=sampling_params)
    end_time = time.time()
    print("-" * 30)
    print(f"Output: {output[0].outputs[0].text}")
    print(f"Generation time: {end_time - start_time} seconds.")
    print(f"Cached tokens: {output[0].num_cached_tokens} of {len(output[0].prompt_token_ids)}")
    print("-" * 30)


def main():
    llm = LLM(model="evals/models/stdlib-lm", enable_prefix_caching=True)
    sampling_params = SamplingParams(temperature=0, max_tokens=20)
    get_generation_time(llm, sampling_params, LONG_PROMPT + "def read_keys(path):\n")
    get_generation_time(llm, sampling_params, LONG_PROMPT + "def read_values(path):\n")


if __name__ == "__main__":
    main()
