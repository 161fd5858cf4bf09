"""Complete the same prompts with and without a prefix cache, which is warmed up by one of them."""

from torchpaged import LLM, SamplingParams

prefix = (
    "import os\nimport sys\n\n\nclass Queue:\n"
    '    """A queue of tasks, first in, first out, for one thread that puts and one that takes."""\n\n'
    "    def __init__(self):\n        self.items = []\n\n"
)
prompts = ["    def put(", "    def get(", "    def clear(", "    def __len__("]
generating_prompts = [prefix + prompt for prompt in prompts]
sampling_params = SamplingParams(temperature=0.0)


def main():
    regular_llm = LLM(model="evals/models/stdlib-lm", gpu_memory_utilization=0.4, enable_prefix_caching=False)
    print("Results without `enable_prefix_caching`")
    outputs = regular_llm.generate(generating_prompts, sampling_params)
    regular_generated_texts = []
    print("-" * 50)
    for output in outputs:
        prompt = output.prompt
        generated_text = output.outputs[0].text
        regular_generated_texts.append(generated_text)
        print(f"Prompt: {prompt!r}\nGenerated text: {generated_text!r}")
        print("-" * 50)
    del regular_llm

    prefix_cached_llm = LLM(model="evals/models/stdlib-lm", enable_prefix_caching=True, gpu_memory_utilization=0.4)
    prefix_cached_llm.generate(generating_prompts[0], sampling_params)
    outputs = prefix_cached_llm.generate(generating_prompts, sampling_params)
    print("Results with `enable_prefix_caching`")
    cached_generated_texts = []
    print("-" * 50)
    for output in outputs:
        prompt = output.prompt
        generated_text = output.outputs[0].text
        cached_generated_texts.append(generated_text)
        print(f"Prompt: {prompt!r}\nGenerated text: {generated_text!r}")
        print("-" * 50)

    generated_same = all(regular_generated_texts[i] == cached_generated_texts[i] for i in range(len(prompts)))
    print(f"Generated answers are the same: {generated_same}")


if __name__ == "__main__":
    main()
