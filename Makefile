# `make demo` and `make test` work on a fresh clone with Python, make and a C++ compiler.
# SYSTEM=1 uses the machine's own Python and torch, builds in the tree and needs no network.
SHELL := /bin/bash
.DEFAULT_GOAL := demo
PYTHON ?= python3
MODEL := evals/models/stdlib-lm

ifdef SYSTEM
  RUN := PYTHONPATH=. $(PYTHON)
  READY := .stamp-system
else
  RUN := .venv/bin/python
  READY := .venv/.stamp-installed
endif

.PHONY: demo test test-long test-ray test-vllm test-vllm-examples test-peers test-sanitized test-soak test-gpu lint wheel release-check bench clean

demo: $(READY)
	$(RUN) -m torchpaged.cli generate --model $(MODEL) --max-tokens 96 --temperature 0.7 --seed 1 \
	  --prompt $$'import os\nimport sys\n\ndef main(' \
	  --prompt $$'class Queue:\n    """A queue of tasks."""\n\n    def __init__(self' \
	  --prompt $$'def read_lines(path):\n    """Return the lines of a text file."""\n' \
	  --prompt $$'try:\n    import json\nexcept ImportError:\n'

test: $(READY)
	$(RUN) -m pytest -m "not long" -n 2 --dist worksteal

# With the clients of others that the server is tried with; llama-index needs an older openai, so it is in a folder apart.
test-long: $(READY)
ifndef SYSTEM
	$(RUN) -m pip install -q -c constraints.txt --no-build-isolation -e '.[clients]'
	test -d .venv/llama-index || $(RUN) -m pip install -q --target .venv/llama-index llama-index-llms-openai-like
	PYTHONPATH=.venv/llama-index $(RUN) -m pytest -m long tests/serving/test_clients.py -k llama_index
endif
	$(RUN) -m pytest -m long

# New seeds each time, for SOAK_MINUTES (30); what fails is printed with the command that runs it again.
test-soak: $(READY)
	$(RUN) -m tests.soak

# AddressSanitizer and UBSan over the operators' tests, with GCC: a quarter of an hour, half of it for the build.
test-sanitized: $(READY)
	$(RUN) -m tests.sanitized

# Workers compile kernels side by side: WORKERS (8), a little fewer than there are cores. FIRST names tests to begin with.
test-gpu: $(READY)
	$(RUN) -c "import torch, sys; sys.exit(None if torch.cuda.is_available() else 'make test-gpu: torch sees no CUDA device')"
	$(RUN) -m pytest $(FIRST) tests/test_gpu*.py tests/ops -m "not long and not host" \
	  -n $(or $(WORKERS),8) --dist load --maxschedchunk 1

# What stands on Ray, with Ray: some minutes, and 300 MB that no other target needs.
test-ray: $(READY)
ifndef SYSTEM
	$(RUN) -m pip install -q -c constraints.txt --no-build-isolation -e '.[ray]'
endif
	$(RUN) -m pytest -m long tests/serving/test_ray.py

# Our attention inside vLLM, in an environment of vLLM's own, and what it reads of our checkpoints: some minutes.
test-vllm: $(READY)
ifndef VLLM_PYTHON
	@echo "make test-vllm: VLLM_PYTHON names no Python that has vLLM 0.32 for the CPU." >&2
	@echo "'$(RUN) -m evals.bench.peers.install vllm' makes an environment with it (a download of a gigabyte) and" >&2
	@echo "prints its Python: make test-vllm VLLM_PYTHON=THAT" >&2
	@exit 2
endif
	VLLM_PYTHON=$(VLLM_PYTHON) $(RUN) -m pytest -m "long or not long" tests/integrations/test_vllm.py \
	  tests/integrations/test_quantized_elsewhere.py

# vLLM's own example scripts, unchanged, on our classes: some minutes.
test-vllm-examples: $(READY)
ifndef VLLM_SOURCE
	@echo "make test-vllm-examples: VLLM_SOURCE names no folder of vLLM 0.32's source distribution" >&2
	@echo "(vllm-0.32.0.tar.gz of the package index, unpacked): make test-vllm-examples VLLM_SOURCE=FOLDER" >&2
	@exit 2
endif
	VLLM_SOURCE=$(VLLM_SOURCE) $(RUN) -m pytest -m "long or not long" tests/test_vllm_compat.py

# Other projects' own test suites against torchpaged: docs/peers.md. PEER=vllm-core runs one, PEERS=FOLDER names checkouts.
test-peers: $(READY)
	$(if $(PEERS),PEERS=$(PEERS)) $(RUN) -m tests.peers $(PEER)

lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"

# Into dist/, for every Linux that torch's own wheels are for; MACHINE=aarch64 crosses over.
wheel: $(READY)
	$(RUN) -m torchpaged.csrc.manylinux $(if $(MACHINE),--machine $(MACHINE))

# What would be released, in an empty environment: some minutes. INDEX=1 installs what it needs from the package index,
# PYTHONS names several Pythons to try, MACHINES=aarch64 builds and checks that wheel too (Debian's g++-aarch64-linux-gnu).
release-check: $(READY)
	$(RUN) -m tests.release $(if $(INDEX),--index) $(if $(PYTHONS),--python $(PYTHONS)) $(if $(MACHINES),--machine $(MACHINES))

bench: $(READY)
ifndef SYSTEM
	$(RUN) -m pip install -q -c constraints.txt matplotlib
endif
	$(RUN) evals/bench/ops.py
	$(RUN) evals/bench/linear.py
	$(RUN) evals/bench/memory.py
	$(RUN) evals/bench/scheduler.py $(if $(VLLM_PYTHON),--vllm-python $(VLLM_PYTHON))

# The stamps are files so that a set-up machine starts at once; they renew when what they depend on changes. The C++
# library needs torch's headers alone, so it is compiled while the other packages are fetched. Modules become bytecode
# when they are imported: for all that is installed that takes a minute, most of it for what nobody imports.
.venv/.stamp-installed: pyproject.toml setup.py constraints.txt
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install -q --no-compile -c constraints.txt setuptools wheel torch
	.venv/bin/python csrc/build.py & build=$$!; \
	  .venv/bin/python -m pip install -q --no-compile -c constraints.txt --no-build-isolation -e '.[transformers,test]' && wait $$build
	touch $@

.stamp-system: pyproject.toml
	$(PYTHON) csrc/build.py
	touch $@

clean:
	rm -rf .venv .stamp-* build dist *.egg-info csrc/*.so csrc/*.lock .pytest_cache .mypy_cache .ruff_cache .hypothesis
