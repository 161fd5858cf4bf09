"""Metrics in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torchpaged.engine.metrics import Counter, Gauge, Histogram, Metric, Vector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def text_of(metrics: Iterable[Metric]) -> str:
    """Return the text of all metrics; names of counters end in _total."""
    families: dict[str, list[Metric]] = {}
    for metric in metrics:
        families.setdefault(metric.name, []).append(metric)
    lines: list[str] = []
    for name, family in families.items():
        kind = {Counter: "counter", Vector: "counter", Gauge: "gauge", Histogram: "histogram"}[type(family[0])]
        name = f"{name}_total" if kind == "counter" else name
        lines.append(f"# TYPE {name} {kind}")
        for metric in family:
            lines += _lines(name, metric)
    return "\n".join(lines) + "\n"


def _lines(name: str, metric: Metric) -> list[str]:
    if isinstance(metric, Histogram):
        buckets = [
            f"{name}_bucket{_labels({**metric.labels, 'le': bound})} {count}" for bound, count in metric.buckets.items()
        ]
        labels = _labels(metric.labels)
        return [*buckets, f"{name}_sum{labels} {metric.sum!r}", f"{name}_count{labels} {metric.count}"]
    if isinstance(metric, Vector):
        places = ({**metric.labels, "position": str(place)} for place in range(len(metric.values)))
        return [f"{name}{_labels(labels)} {value}" for labels, value in zip(places, metric.values, strict=True)]
    assert isinstance(metric, (Counter, Gauge)), f"{name} is of another kind"
    return [f"{name}{_labels(metric.labels)} {metric.value!r}"]


def _labels(labels: Mapping[str, str]) -> str:
    def escaped(text: str) -> str:
        return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items()) + "}"
