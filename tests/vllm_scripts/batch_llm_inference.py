"""Run a predictor over batches of arrays, as Ray Data passes them to its actors; here one after the other."""

import numpy as np

from torchpaged import LLM, SamplingParams

sampling_params = SamplingParams(temperature=0.8, top_p=0.95)


class LLMPredictor:
    def __init__(self):
        self.llm = LLM(model="evals/models/stdlib-lm", tensor_parallel_size=1, trust_remote_code=False, seed=None)

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, list]:
        outputs = self.llm.generate(batch["text"], sampling_params)
        prompt: list[str] = []
        generated_text: list[str] = []
        for output in outputs:
            prompt.append(output.prompt)
            generated_text.append(" ".join([o.text for o in output.outputs]))
        return {"prompt": prompt, "generated_text": generated_text}


def main():
    texts = np.array([f"def read_{name}(path):" for name in ("lines", "words", "bytes", "numbers", "names")])
    predictor = LLMPredictor()
    for start in range(0, len(texts), 2):
        found = predictor({"text": texts[start : start + 2]})
        for prompt, generated_text in zip(found["prompt"], found["generated_text"], strict=True):
            print(f"Prompt: {prompt!r}, Generated text: {generated_text!r}")


if __name__ == "__main__":
    main()
