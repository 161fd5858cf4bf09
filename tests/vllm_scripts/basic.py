"""Complete a few prompts."""

from torchpaged import LLM, SamplingParams

prompts = [
    "import os\nimport ",
    "def main(",
    "class Queue:\n    def ",
    "try:\n    import json\n",
]
sampling_params = SamplingParams(temperature=0.8, top_p=0.95)


def main():
    llm = LLM(model="evals/models/stdlib-lm")
    outputs = llm.generate(prompts, sampling_params)
    print("\nGenerated Outputs:\n" + "-" * 60)
    for output in outputs:
        prompt = output.prompt
        generated_text = output.outputs[0].text
        print(f"Prompt:    {prompt!r}")
        print(f"Output:    {generated_text!r}")
        print("-" * 60)


if __name__ == "__main__":
    main()
