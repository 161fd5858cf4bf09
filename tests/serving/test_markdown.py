"""The page's rendering of a model's Markdown: a fixed list of elements around text, for any text."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "torchpaged" / "serving" / "markdown.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

# A document of elements and texts, with no parser of HTML in it; each prints itself as a list.
HARNESS = """
class Element {
  constructor(kind) { this.kind = kind; this.className = ""; this.attributes = {}; this.children = []; }
  append(...nodes) { this.children.push(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  setAttribute(name, value) { this.attributes[name] = value; }
  get textContent() { return this.children.map(each => each.textContent ?? each).join(""); }
  set textContent(text) { this.children = [text]; }
  addEventListener() {}
}
const document = { createElement: kind => new Element(kind) };
const copyButton = () => new Element("button");
const shown = node => typeof node === "string" ? node
  : [node.kind, node.attributes, ...node.children.map(shown)];
%s
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = texts.map(text => {
  const target = new Element("div");
  markdown(target, text);
  return { nodes: target.children.map(shown), text: target.textContent };
});
process.stdout.write(JSON.stringify(found));
"""


def rendered(*texts: str) -> list[dict[str, Any]]:
    assert NODE is not None
    code = HARNESS % SCRIPT.read_text()
    result = subprocess.run([NODE, "-e", code], input=json.dumps(texts), capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def html(node: Any) -> str:
    """Return a node in one line; of a link's attributes only its address."""
    if isinstance(node, str):
        return node.replace("<", "&lt;")
    kind, attributes, *children = node
    href = f" href={attributes['href']}" if "href" in attributes else ""
    start = f" start={attributes['start']}" if "start" in attributes else ""
    return f"<{kind}{href}{start}>{''.join(map(html, children))}</{kind}>"


CODE = "<div><div><span>{}</span><button></button></div><pre><code>{}</code></pre></div>"
CASES = {
    "plain text": "<p>plain text</p>",
    "two\nlines\n\nand more": "<p>two<br></br>lines</p><p>and more</p>",
    "**bold** and *em*, __bold__ _em_ ~~no~~": (
        "<p><strong>bold</strong> and <em>em</em>, <strong>bold</strong> <em>em</em> <del>no</del></p>"
    ),
    "**bold *both* bold**": "<p><strong>bold <em>both</em> bold</strong></p>",
    "snake_case_name, 2 * 3 * 4 and **open": "<p>snake_case_name, 2 * 3 * 4 and **open</p>",
    "\\*not em\\*": "<p>*not em*</p>",
    "`a < b` and ``x ` y``": "<p><code>a &lt; b</code> and <code>x ` y</code></p>",
    "an ` alone": "<p>an ` alone</p>",
    "# One\n## Two #": "<h2>One</h2><h3>Two #</h3>",
    "```python\nif a < b:\n    pass\n```\nafter": CODE.format("python", "if a &lt; b:\n    pass") + "<p>after</p>",
    "```\nstill being written": CODE.format("code", "still being written"),
    "~~~~js\n```\n~~~~": CODE.format("js", "```"),
    "- a\n- b\n  - c\n- d": "<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li><li>d</li></ul>",
    "3. a\n4. b": "<ol start=3><li>a</li><li>b</li></ol>",
    "1. a\n\n2. b\n\nend": "<ol><li>a</li><li>b</li></ol><p>end</p>",
    "- a\n\n  more\n- b": "<ul><li><p>a</p><p>more</p></li><li>b</li></ul>",
    "1. a\n   ```sh\n   ls\n   ```": "<ol><li><p>a</p>" + CODE.format("sh", "ls") + "</li></ol>",
    "> said\n> twice": "<blockquote><p>said<br></br>twice</p></blockquote>",
    "a\n\n---\n\nb": "<p>a</p><hr></hr><p>b</p>",
    "| a | b |\n| --- | :-: |\n| 1 | `2` |": (
        "<div><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><code>2</code></td></tr></table></div>"
    ),
    "[text](https://x.org/a?b=1) https://y.org/.": (
        "<p><a href=https://x.org/a?b=1>text</a> <a href=https://y.org/>https://y.org/</a>.</p>"
    ),
    "![alt](https://x.org/i.png)": "<p><a href=https://x.org/i.png>alt</a></p>",
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>",
    "<script>alert(1)</script><img src=x onerror=alert(1)>": (
        "<p>&lt;script>alert(1)&lt;/script>&lt;img src=x onerror=alert(1)></p>"
    ),
    "": "",
}


def test_what_is_made_of_it() -> None:
    for (text, wanted), found in zip(CASES.items(), rendered(*CASES), strict=True):
        assert "".join(map(html, found["nodes"])) == wanted, text


ELEMENTS = {"p", "br", "strong", "em", "del", "code", "pre", "div", "span", "button", "ul", "ol", "li", "blockquote"}
ELEMENTS |= {"hr", "table", "tr", "th", "td", "a", "h2", "h3", "h4", "h5", "h6"}
HOSTILE = [
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,<script>1</script>)",
    "[a]( javascript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    '[a](https://x.org"onclick="alert(1))',
    "![a](javascript:alert(1))",
    "<a href=javascript:alert(1)>a</a>",
    "```html onload=alert(1)\n</code></pre><script>alert(1)</script>\n```",
    "`</code><img src=x onerror=alert(1)>`",
    "| <svg onload=alert(1)> |\n| --- |\n| <iframe srcdoc=x> |",
]


def walk(node: Any) -> None:
    if isinstance(node, str):
        return
    kind, attributes, *children = node
    assert kind in ELEMENTS
    assert attributes.keys() <= ({"href", "rel", "target"} if kind == "a" else {"start"} if kind == "ol" else set())
    assert attributes.get("href", "https://").lower().startswith(("http://", "https://", "mailto:"))
    for child in children:
        walk(child)


def test_nothing_else_comes_of_any_text() -> None:
    """Hostile texts, and random ones of all markup; all their letters are kept."""
    pieces = ["*", "**", "_", "__", "~~", "`", "``", "```", "\n", "\n\n", "> ", "- ", "1. ", "# ", "| ", "|---|", "  "]
    pieces += ["[", "](", ")", "!", "\\", "<b>", "javascript:", "https://x.org/", "mailto:a@b", "word", " ", "\t", "ä"]
    draw = random.Random(1)
    texts = [*HOSTILE, *("".join(draw.choices(pieces, k=draw.randint(1, 60))) for _ in range(3000))]
    for text, found in zip(texts, rendered(*texts), strict=True):
        for node in found["nodes"]:
            walk(node)
        if "](" not in text:  # a link's address is not shown
            assert found["text"].count("word") == text.count("word"), text


def test_long_texts_come_to_an_end() -> None:
    """Unclosed openers, deep quotes and lists: quadratic work would exceed the time limit."""
    pieces = ["*a ", "**a ", "_a ", "`a ", "``a ` ", "[a ", "[a](", "![", "> ", "- ", "~~", "# #", "|", "\\", "```a`"]
    texts = [piece * 5_000 for piece in pieces]
    texts += ["> " * 500 + "a", "\n".join(" " * i + "- a" for i in range(500)), "a|b\n-|-\n" + "a|b\n" * 5_000]
    assert len(rendered(*texts)) == len(texts)
