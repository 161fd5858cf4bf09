"""Deploys the server with Ray Serve, which runs replicas, checks their health and scales their number.

Run it from the root: `python examples/ray_serve.py`; it needs `pip install '.[ray]' openai`. On a cluster, write
the arguments of `build_openai_app` into Ray Serve's YAML, with
`import_path: torchpaged.serving.ray:build_openai_app`.
"""

from pathlib import Path

import openai
import ray
from ray import serve

from torchpaged.serving.ray import build_openai_app

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"

if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False)
    serve.start(http_options={"host": "127.0.0.1", "port": 8123})
    app = build_openai_app(
        {
            "model": str(MODEL),
            "engine_kwargs": {"num_blocks": 256},
            "server_options": {"served_model_name": ["stdlib-lm"], "api_key": ["me:a-secret-of-mine"]},
            "deployment_config": {
                "autoscaling_config": {"min_replicas": 1, "max_replicas": 2, "target_ongoing_requests": 64},
                "ray_actor_options": {"num_cpus": 1},
            },
        }
    )
    serve.run(app)
    client = openai.OpenAI(base_url="http://127.0.0.1:8123/v1", api_key="a-secret-of-mine")
    for chunk in client.completions.create(
        model="stdlib-lm", prompt="def main(", max_tokens=12, temperature=0, stream=True
    ):
        print(chunk.choices[0].text, end="", flush=True)
    print()
    serve.shutdown()
    ray.shutdown()
