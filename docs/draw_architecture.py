"""Draws docs/architecture.svg, the picture in README: `python docs/draw_architecture.py`.

One file for light and dark pages: its colours follow the reader's `prefers-color-scheme`.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

WIDTH, ROW, GAP, LEFT = 860, 58, 16, 20

# (title, the parts in it, from the left); each row calls the row below it.
ROWS = (
    ("How you use it", ("LLM", "AsyncLLM", "HTTP server", "lm-eval", "your engine")),
    ("Engine", ("LLMEngine", "Scheduler", "KVCacheManager", "ModelRunner")),
    ("Models", ("transformers", "GGUF, int8, 4 bit", "compiler", "your nn.Module", "vLLM")),
    ("Operators", ("paged_attention", "write_kv_cache", "packed_linear", "sample_tokens", "...")),
    ("Kernels", ("C++ (AVX2, AVX-512, BF16)", "Triton (CUDA)", "PyTorch reference")),
)
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; fill: #59636e }
  .row { fill: #f6f8fa; stroke: #d1d9e0 }
  .part { fill: #ffffff; stroke: #0969da }
  .arrow { stroke: #59636e; fill: none; marker-end: url(#head) }
  .head { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .title { fill: #9198a1 }
    .row { fill: #151b23; stroke: #3d444d }
    .part { fill: #0d1117; stroke: #4493f8 }
    .arrow { stroke: #9198a1 }
    .head { fill: #9198a1 }
  }
"""


def draw() -> str:
    """The picture as SVG."""
    height = len(ROWS) * (ROW + GAP) + GAP
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="Interfaces over the engine, over models, over operators, over kernels">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
    ]
    for number, (title, parts) in enumerate(ROWS):
        top = GAP + number * (ROW + GAP)
        out.append(f'<rect class="row" x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{ROW}" rx="6"/>')
        out.append(f'<text class="title" x="{LEFT + 14}" y="{top + ROW / 2 + 5}">{escape(title)}</text>')
        first = LEFT + 140
        width = (WIDTH - LEFT - first - 8 * len(parts)) / len(parts)
        for place, part in enumerate(parts):
            x = first + place * (width + 8)
            out.append(
                f'<rect class="part" x="{x:.0f}" y="{top + 11}" width="{width:.0f}" height="{ROW - 22}" rx="4"/>'
            )
            out.append(
                f'<text x="{x + width / 2:.0f}" y="{top + ROW / 2 + 5}" text-anchor="middle">{escape(part)}</text>'
            )
        if number:
            out.append(f'<path class="arrow" d="M{LEFT + 60} {top - GAP}v{GAP - 2}"/>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_name("architecture.svg").write_text(draw())
