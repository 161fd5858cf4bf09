"""Write a torch.profiler trace of one call."""

import os

from torchpaged import LLM, SamplingParams

prompts = ["import os\nimport ", "def main(", "class Queue:\n    def ", "try:\n    import json\n"]
sampling_params = SamplingParams(temperature=0.8, top_p=0.95)


def main():
    llm = LLM(
        model="evals/models/stdlib-lm",
        tensor_parallel_size=1,
        profiler_config={"profiler": "torch", "torch_profiler_dir": os.environ["PROFILE_DIR"]},
    )

    llm.start_profile()
    outputs = llm.generate(prompts, sampling_params)
    llm.stop_profile()

    print("-" * 50)
    for output in outputs:
        prompt = output.prompt
        generated_text = output.outputs[0].text
        print(f"Prompt: {prompt!r}\nGenerated text: {generated_text!r}")
        print("-" * 50)


if __name__ == "__main__":
    main()
