"""Cost of scheduling: `Scheduler.schedule` and `update` of a decode step, and of the step that admits a prompt.

    python evals/bench/scheduler.py [--vllm-python /path/to/its/python] [--output evals/results/scheduler]

Uses only the Scheduler and the KVCacheManager, with prefix caching; the model's answers are made outside the timed
part. If another Python can import vLLM, its v1 Scheduler does the same work, in turn. Prints a table and the hottest
functions, writes JSON and a plot.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import os
import pstats
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup, KVCacheManager
from torchpaged.scheduling import Results, RowParams, Scheduler, Sequence, Step, StopRule

ROOT = Path(__file__).resolve().parents[2]
BLOCK_SIZE, MAX_MODEL_LEN, VOCABULARY = 16, 4096, 32768
SHORTEST, LONGEST = 100, 700  # prompts; the untimed prefill and the steps extend contexts to about 1000
ADMITTED = 1000  # tokens of a prompt whose admission is timed
TARGET_RUNNING, TARGET_MS = 1024, 2.0
MOST_GROWTH = 1.5  # in time per request from the smallest batch of 64 or more to the largest: still linear
QUIET_LOAD = 1.2

T = TypeVar("T")
Settings = Mapping[str, int]


class Own:
    """torchpaged's scheduler, one per measurement.

    Args:
        profile: records the timed calls.
    """

    def __init__(self, profile: cProfile.Profile | None = None) -> None:
        self.profile = profile

    def decode(self, prompts: list[list[int]], steps: int, settings: Settings) -> dict[str, list[float]]:
        """Return seconds of `schedule` and `update` in each decode step of all prompts; "gc": of collections."""
        scheduler = self._scheduler(settings)
        for prompt in prompts:
            _add(scheduler, prompt, settings["max_model_len"] - len(prompt))
        while any(s.num_computed_tokens < s.num_prompt_tokens for s in scheduler.sequences.values()):
            step = scheduler.schedule()
            scheduler.update(step, _sampled(step))
        seconds: dict[str, list[float]] = {"schedule": [], "update": [], "gc": []}
        with Pauses(seconds["gc"]):
            for _ in range(steps):
                step, schedule = self._timed(scheduler.schedule)
                results = _sampled(step)
                assert step.num_tokens == len(results.draws) == len(prompts), "not a decode step of all requests"
                _, update = self._timed(partial(scheduler.update, step, results))
                seconds["schedule"].append(schedule)
                seconds["update"].append(update)
        scheduler.check()
        return seconds

    def admit(self, prompts: list[list[int]], settings: Settings) -> dict[str, dict[str, list[float]]]:
        """Return seconds to queue each prompt and of the step that admits it: all prompts once, then again."""
        scheduler = self._scheduler(settings)
        answer = {}
        for kind in ("cold", "hit"):
            seconds: dict[str, list[float]] = {"add": [], "step": [], "cached_tokens": []}
            for prompt in prompts:
                sequence, add = self._timed(partial(_add, scheduler, prompt, 16))
                step, schedule = self._timed(scheduler.schedule)
                results = _sampled(step)
                _, update = self._timed(partial(scheduler.update, step, results))
                seconds["add"].append(add)
                seconds["step"].append(schedule + update)
                seconds["cached_tokens"].append(len(prompt) - step.num_tokens)
                scheduler.finish(sequence, "abort")
            answer[kind] = seconds
        scheduler.check()
        return answer

    def _scheduler(self, settings: Settings) -> Scheduler:
        group = KVCacheGroup(FullAttentionSpec(settings["block_size"]), (0,))
        return Scheduler(
            KVCacheManager([group], settings["num_blocks"]),
            max_num_seqs=settings["max_num_seqs"],
            max_num_batched_tokens=settings["max_num_batched_tokens"],
            max_model_len=settings["max_model_len"],
        )

    def _timed(self, function: Callable[[], T]) -> tuple[T, float]:
        if self.profile is not None:
            return self.profile.runcall(function), 0.0
        start = time.perf_counter()
        result = function()
        return result, time.perf_counter() - start


class Vllm:
    """vLLM's scheduler in a separate process, with `Own`'s methods.

    Raises:
        RuntimeError: it does not start; the message is the end of its output.
    """

    def __init__(self, python: str) -> None:
        command = [python, str(Path(__file__).with_name("vllm_scheduler.py"))]
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # a pipe would fill up before `close`
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        self.facts: dict[str, Any] = self._answer()

    def decode(self, prompts: list[list[int]], steps: int, settings: Settings) -> dict[str, list[float]]:
        """Measure as `Own.decode` does."""
        return self._call(what="decode", prompts=prompts, steps=steps, settings=settings)

    def admit(self, prompts: list[list[int]], settings: Settings) -> dict[str, dict[str, list[float]]]:
        """Measure as `Own.admit` does; a request's hashes are computed when it is queued."""
        return self._call(what="admit", prompts=prompts, settings=settings)

    def close(self) -> None:
        """End the process."""
        self.process.communicate()
        self.errors.seek(0)
        self.last_words = (self.errors.read().strip().splitlines() or ["it ended without output"])[-1]
        self.errors.close()

    def _call(self, **call: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        self.facts["hash_algorithm"] = answer.pop("hash_algorithm")
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.close()
            raise RuntimeError(self.last_words)
        answer: dict[str, Any] = json.loads(line)
        return answer


class Pauses:
    """Recorder of the seconds of each garbage collection while it is entered."""

    def __init__(self, seconds: list[float]) -> None:
        self.seconds, self.start = seconds, 0.0

    def __enter__(self) -> None:
        gc.callbacks.append(self._take)

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._take)

    def _take(self, phase: str, _: object) -> None:
        now = time.perf_counter()
        if phase == "start":
            self.start = now
        else:
            self.seconds.append(now - self.start)


def _add(scheduler: Scheduler, prompt: list[int], max_tokens: int) -> Sequence:
    return scheduler.add(prompt, RowParams(), StopRule(len(prompt) + max_tokens))


def _sampled(step: Step) -> Results:
    draws = [id for id in step.ids if id not in step.quiet]
    return Results(step.number, draws, [7] * len(draws))


def prompts_of(lengths: list[int], seed: int) -> list[list[int]]:
    """Return random tokens: no two prompts share a block."""
    generator = random.Random(seed)
    return [[generator.randrange(VOCABULARY) for _ in range(length)] for length in lengths]


def settings_for(running: int) -> dict[str, int]:
    """Return settings whose pool holds everything, so that there is no preemption and no eviction."""
    return {
        "block_size": BLOCK_SIZE,
        "num_blocks": max(running * 100, 8192),
        "max_num_seqs": running,
        "max_num_batched_tokens": 8192,
        "max_model_len": MAX_MODEL_LEN,
    }


def decode_prompts(running: int, seed: int) -> list[list[int]]:
    """Return prompts of `SHORTEST` to `LONGEST` tokens, evenly distributed, in random order."""
    generator = random.Random(seed)
    return prompts_of([generator.randint(SHORTEST, LONGEST) for _ in range(running)], seed)


def measure_decode(
    sides: Mapping[str, Own | Vllm], counts: list[int], steps: int, rounds: int, seed: int
) -> list[dict[str, Any]]:
    """Return one row per number of running requests: the sides in turn, `rounds` times."""
    rows = []
    for running in counts:
        runs: dict[str, list[dict[str, list[float]]]] = {name: [] for name in sides}
        for number in range(rounds):
            prompts = decode_prompts(running, seed + number)
            for name, side in sides.items():
                machine.progress(f"decode, {running} running, round {number + 1} of {rounds}: {name}")
                runs[name].append(side.decode(prompts, steps, settings_for(running)))
        row: dict[str, Any] = {"running": running}
        medians = {}
        for name, measured in runs.items():
            both = [[s + u for s, u in zip(r["schedule"], r["update"], strict=True)] for r in measured]
            every = [seconds for one in both for seconds in one]
            medians[name] = [statistics.median(one) for one in both]
            row[name] = {
                "median_ms": statistics.median(every) * 1e3,
                "mean_ms": statistics.mean(every) * 1e3,
                "worst_ms": max(every) * 1e3,
                "us_per_request": statistics.median(every) * 1e6 / running,
                "schedule_ms": statistics.median(x for r in measured for x in r["schedule"]) * 1e3,
                "update_ms": statistics.median(x for r in measured for x in r["update"]) * 1e3,
            }
        row["torchpaged"]["gc_ms"] = sum(x for r in runs["torchpaged"] for x in r["gc"]) * 1e3 / (steps * rounds)
        if "vllm" in medians:
            row["x_vllm"] = machine.ratio(medians["vllm"], medians["torchpaged"])
        rows.append(row)
    return rows


def measure_admission(sides: Mapping[str, Own | Vllm], count: int, rounds: int, seed: int) -> dict[str, Any]:
    """Measure admission of new prompts ("cold") and of the same again ("hit"); the rest of the pool is idle."""
    runs: dict[str, list[dict[str, dict[str, list[float]]]]] = {name: [] for name in sides}
    settings = settings_for(1) | {"num_blocks": 4 + count * (ADMITTED // BLOCK_SIZE + 2)}
    for number in range(rounds):
        prompts = prompts_of([ADMITTED] * count, seed + number)
        for name, side in sides.items():
            machine.progress(f"admission, round {number + 1} of {rounds}: {name}")
            runs[name].append(side.admit(prompts, settings))
    result: dict[str, Any] = {"prompt_tokens": ADMITTED}
    for kind in ("cold", "hit"):
        entry: dict[str, Any] = {}
        medians = {}
        for name, measured in runs.items():
            both = [[a + s for a, s in zip(r[kind]["add"], r[kind]["step"], strict=True)] for r in measured]
            every = [seconds for one in both for seconds in one]
            medians[name] = [statistics.median(one) for one in both]
            entry[name] = {
                "median_ms": statistics.median(every) * 1e3,
                "mean_ms": statistics.mean(every) * 1e3,
                "add_ms": statistics.median(x for r in measured for x in r[kind]["add"]) * 1e3,
                "step_ms": statistics.median(x for r in measured for x in r[kind]["step"]) * 1e3,
                "cached_tokens": statistics.median(x for r in measured for x in r[kind]["cached_tokens"]),
            }
        if "vllm" in medians:
            entry["x_vllm"] = machine.ratio(medians["vllm"], medians["torchpaged"])
        result[kind] = entry
    return result


def profiles(running: int, steps: int, admissions: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Return the functions with the most own time by cProfile, whose overhead exaggerates small functions.

    Garbage collection is off, because cProfile would charge it to the function that allocates.
    """
    gc.disable()
    decode, admit = cProfile.Profile(), cProfile.Profile()
    Own(decode).decode(decode_prompts(running, seed), steps, settings_for(running))
    settings = settings_for(1) | {"num_blocks": 4 + admissions * (ADMITTED // BLOCK_SIZE + 2)}
    Own(admit).admit(prompts_of([ADMITTED] * admissions, seed), settings)
    gc.enable()
    return {f"decode, {running} running": hottest(decode), "admission, cold and hit": hottest(admit)}


def hottest(profile: cProfile.Profile, count: int = 12) -> list[dict[str, Any]]:
    """Return the functions with the most own time."""
    stats: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    here = {key: value for key, value in stats.items() if key[0] != __file__}
    whole = sum(own for _, _, own, _, _ in here.values())
    rows = []
    for (file, line, function), (_, calls, own, total, _) in sorted(here.items(), key=lambda item: -item[1][2])[:count]:
        inside = Path(file).is_relative_to(ROOT) and "site-packages" not in file
        where = f"{Path(file).relative_to(ROOT)}:{line} {function}" if inside else function
        rows.append({"function": where, "calls": calls, "share": own / whole, "share_with_callees": total / whole})
    return rows


def growth(rows: list[dict[str, Any]], name: str) -> float | None:
    """Return time per request in the largest batch over that in the smallest of 64 or more; None without both."""
    large = [row for row in rows if row["running"] >= 64]
    if len(large) < 2:
        return None
    value: float = large[-1][name]["us_per_request"] / large[0][name]["us_per_request"]
    return value


def report(rows: list[dict[str, Any]], admission: Mapping[str, Any], hot: Mapping[str, list[dict[str, Any]]]) -> None:
    """Print the tables."""
    peer = "x_vllm" in rows[0]
    columns = ["median ms", "mean ms", "of it gc", "worst ms", "schedule", "update", "us/request"]
    columns += ["vLLM median", "vLLM mean", "vLLM / ours"] if peer else []
    print(f"{'decode step':20}" + "".join(f"{name:>13}" for name in columns))
    for row in rows:
        own = row["torchpaged"]
        names = ("median_ms", "mean_ms", "gc_ms", "worst_ms", "schedule_ms", "update_ms")
        cells = [*(f"{own[key]:.3f}" for key in names), f"{own['us_per_request']:.2f}"]
        if peer:
            vllm = row["vllm"]
            cells += [f"{vllm['median_ms']:.3f}", f"{vllm['mean_ms']:.3f}", f"{row['x_vllm']:.2f}"]
        print(f"{row['running']:>7} running     " + "".join(f"{cell:>13}" for cell in cells))
    columns = ["median ms", "mean ms", "add", "step", "cached"] + (["vLLM median", "vLLM / ours"] if peer else [])
    print(f"\n{f'a prompt of {ADMITTED}':20}" + "".join(f"{name:>13}" for name in columns))
    for kind in ("cold", "hit"):
        own = admission[kind]["torchpaged"]
        cells = [f"{own[key]:.3f}" for key in ("median_ms", "mean_ms", "add_ms", "step_ms")]
        cells.append(f"{own['cached_tokens']:.0f}")
        if peer:
            cells += [f"{admission[kind]['vllm']['median_ms']:.3f}", f"{admission[kind]['x_vllm']:.2f}"]
        print(f"{kind:20}" + "".join(f"{cell:>13}" for cell in cells))
    for what, functions in hot.items():
        print(f"\nwhere the time goes: {what} (cProfile, share of own time)")
        for entry in functions[:6]:
            print(f"  {entry['share']:6.1%}  {entry['function']}, {entry['calls']} calls")


def plot(rows: list[dict[str, Any]], admission: Mapping[str, Any], path: Path) -> None:
    """Draw step time by running requests, and admission of a prompt."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    names = [name for name in ("torchpaged", "vllm") if name in rows[0]]
    for name in names:
        left.plot([row["running"] for row in rows], [row[name]["median_ms"] for row in rows], marker="o", label=name)
    left.axhline(TARGET_MS, color="black", linestyle=":", label=f"target: {TARGET_MS:.0f} ms at {TARGET_RUNNING}")
    left.set(xscale="log", yscale="log", xlabel="running requests", ylabel="ms, median")
    left.set_title("schedule + update of a decode step")
    for i, name in enumerate(names):
        times = [admission[kind][name]["median_ms"] for kind in ("cold", "hit")]
        right.bar([x + 0.4 * i for x in range(2)], times, width=0.38, label=name)
    right.set_xticks([0.2 * (len(names) - 1) + x for x in range(2)], ["cold", "full prefix hit"])
    right.set(ylabel="ms, median", title=f"add + admit a prompt of {ADMITTED} tokens")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--running", type=int, nargs="+", default=[1, 64, 256, 1024])
    parser.add_argument("--steps", type=int, default=208, help="decode steps a round: 13 blocks' worth")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--admissions", type=int, default=50, help="prompts a round")
    parser.add_argument("--vllm-python", help="a Python that can import vLLM")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("evals/results/scheduler"), help="without suffix")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    if load > QUIET_LOAD:
        machine.progress(f"the machine is not quiet: load {load:.1f}; only the ratios mean something")
    counts, rounds, seed = sorted(arguments.running), arguments.rounds, arguments.seed
    sides: dict[str, Own | Vllm] = {"torchpaged": Own()}
    peer: dict[str, Any] = {"vllm": "not installed: no --vllm-python"}
    vllm = None
    if arguments.vllm_python:
        try:
            sides["vllm"] = vllm = Vllm(arguments.vllm_python)
        except (OSError, RuntimeError) as error:
            peer = {"vllm": f"not installed: {error}"}
            machine.progress(f"vLLM is left out: {error}")
    rows = measure_decode(sides, counts, arguments.steps, rounds, seed)
    admission = measure_admission(sides, arguments.admissions, rounds, seed)
    if vllm is not None:
        peer = {"vllm": vllm.facts, "gc": "frozen after start, as vLLM's engine core does; torchpaged's is not"}
        vllm.close()
    hot = profiles(counts[-1], min(arguments.steps, 104), min(arguments.admissions, 25), seed)
    report(rows, admission, hot)
    targets: dict[str, bool] = {}
    at_target = next((row["torchpaged"] for row in rows if row["running"] == TARGET_RUNNING), None)
    if at_target is not None:
        for kind in ("median", "mean"):
            name = f"{kind} at most {TARGET_MS:.0f} ms at {TARGET_RUNNING} running"
            targets[name] = at_target[f"{kind}_ms"] <= TARGET_MS
    grown = growth(rows, "torchpaged")
    if grown is not None:
        targets[f"linear: time a request grows at most {MOST_GROWTH}x from 64 up"] = grown <= MOST_GROWTH
        print(f"\ntime a request, largest batch over the smallest of 64 or more: {grown:.2f}x")
    for target, met in targets.items():
        print(f"{target}: {'met' if met else 'MISSED'}")
    result = {
        **machine.describe(sys.argv),
        "load": load,
        "block_size": BLOCK_SIZE,
        "prefix_caching": True,
        "prompt_tokens": [SHORTEST, LONGEST],
        "steps": arguments.steps,
        "rounds": rounds,
        "ratios": "median over rounds of vLLM's median step / torchpaged's, the two measured in turn",
        "peer": peer,
        "targets": targets,
        "growth_per_request": grown,
        "decode": rows,
        "admission": admission,
        "profile": hot,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    try:
        plot(rows, admission, arguments.output.with_suffix(".png"))
    except ModuleNotFoundError as error:
        machine.progress(f"no plot: {error}; pip install matplotlib")


if __name__ == "__main__":
    main()
