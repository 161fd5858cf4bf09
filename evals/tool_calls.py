"""Two hundred questions that tools answer, put to an instruct model over HTTP: every call must be parseable.

Twenty tools, ten questions each; a request offers two to four tools, one of which is meant. Three ways: tool_choice
"required", "auto" with strict tools, and "auto". In the first two each call's arguments must be valid by the tool's
schema. Every fourth question is streamed, too. How often the model chooses the tool and the arguments that are meant is
told, and is the model's affair.

    python evals/tool_calls.py FOLDER --output FILE.json      # FOLDER as `evals/smollm2.py prepare` makes it
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import openai

# By tool: its description, the types of its arguments, a question, and what to fill in.
TOOLS: dict[str, tuple[str, dict[str, Any], str, list[tuple[Any, ...]]]] = {
    "get_weather": (
        "Get the weather of a city.",
        {"city": {"type": "string"}},
        "What is the weather like in {}?",
        [(c,) for c in ("Paris", "Oslo", "Lima", "Cairo", "Tokyo", "Quito", "Perth", "Rome", "Delhi", "Bern")],
    ),
    "convert_currency": (
        "Convert an amount of money.",
        {"amount": {"type": "number"}, "source": {"enum": ["EUR", "USD", "GBP"]}, "target": {"enum": ["JPY", "CHF"]}},
        "How much are {} {} in {}?",
        [(n, s, t) for n, s in ((5, "EUR"), (20, "USD"), (99, "GBP"), (3, "USD"), (12, "EUR")) for t in ("JPY", "CHF")],
    ),
    "set_timer": (
        "Set a timer.",
        {"minutes": {"type": "integer", "minimum": 1, "maximum": 600}},
        "Set a timer for {} minutes, please.",
        [(n,) for n in (1, 2, 3, 5, 10, 15, 20, 30, 45, 90)],
    ),
    "send_message": (
        "Send a message to a person.",
        {"to": {"type": "string"}, "text": {"type": "string"}},
        'Tell {} this: "{}"',
        [(p, t) for p in ("Ann", "Bob", "Eve", "Tom", "Zoë") for t in ("I am late", "see you at 8")],
    ),
    "play_song": (
        "Play a song.",
        {"title": {"type": "string"}, "shuffle": {"type": "boolean"}},
        "Play {}, shuffle {}.",
        [(t, s) for t in ("Yesterday", "Imagine", "Hurt", "Creep", "Hello") for s in (True, False)],
    ),
    "find_route": (
        "Find a route between two places.",
        {"start": {"type": "string"}, "end": {"type": "string"}, "by": {"enum": ["car", "train", "foot"]}},
        "How do I get from {} to {} by {}?",
        [("Graz", "Linz", b) for b in ("car", "train", "foot")]
        + [("Ghent", "Lille", b) for b in ("car", "train", "foot")]
        + [("York", "Leeds", b) for b in ("car", "train")]
        + [("Turin", "Milan", b) for b in ("car", "foot")],
    ),
    "add": (
        "Add two whole numbers.",
        {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "What is {} plus {}?",
        [(a, b) for a in (1, 17, 250, -4, 1000) for b in (2, 39)],
    ),
    "translate": (
        "Translate a text.",
        {"text": {"type": "string"}, "language": {"enum": ["French", "German"]}},
        'Translate "{}" to {}.',
        [(t, e) for t in ("good day", "the sea", "two dogs", "no", "thanks") for e in ("French", "German")],
    ),
    "book_table": (
        "Book a table in a restaurant.",
        {"restaurant": {"type": "string"}, "people": {"type": "integer", "minimum": 1, "maximum": 20}},
        "Book a table at {} for {} people.",
        [(r, n) for r in ("Luigi's", "The Crown", "Sakura", "Chez Max", "El Toro") for n in (2, 6)],
    ),
    "get_stock_price": (
        "Get the price of a stock.",
        {"symbol": {"type": "string"}},
        "What is {} trading at?",
        [(s,) for s in ("AAPL", "MSFT", "IBM", "TSLA", "SAP", "NVDA", "INTC", "ORCL", "AMD", "SONY")],
    ),
    "create_event": (
        "Create an event in the calendar.",
        {"title": {"type": "string"}, "weekday": {"enum": ["Monday", "Friday"]}, "hour": {"type": "integer"}},
        "Put {} on {} at {} o'clock into my calendar.",
        [
            (t, d, h)
            for t, h in (("lunch", 12), ("yoga", 18), ("a call", 9), ("tea", 16), ("a run", 7))
            for d in ("Monday", "Friday")
        ],
    ),
    "search_web": (
        "Search the web.",
        {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 10}},
        "Search the web for {} and show {} results.",
        [(q, n) for q in ("old maps", "bread recipes", "bus times", "cheap tents", "bird songs") for n in (3, 5)],
    ),
    "set_light": (
        "Set the light of a room.",
        {"room": {"enum": ["kitchen", "bedroom"]}, "percent": {"type": "integer", "minimum": 0, "maximum": 100}},
        "Set the light in the {} to {} percent.",
        [(r, n) for r in ("kitchen", "bedroom") for n in (0, 10, 50, 75, 100)],
    ),
    "get_time": (
        "Get the time in a city.",
        {"city": {"type": "string"}},
        "What time is it in {}?",
        [(c,) for c in ("Seoul", "Accra", "Havana", "Dublin", "Hanoi", "Kyiv", "Minsk", "Sofia", "Tunis", "Riga")],
    ),
    "order_food": (
        "Order dishes.",
        {"dishes": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 4}},
        "Order {} for me.",
        [
            (["pizza"],),
            (["soup"],),
            (["rice"],),
            (["salad"],),
            (["tacos"],),
            (["sushi"],),
            (["curry"],),
            (["pasta"],),
            (["ramen"],),
            (["toast"],),
        ],
    ),
    "solve_equation": (
        "Solve an equation for x.",
        {"equation": {"type": "string"}},
        "Solve {} for x.",
        [(f"{a}x + {b} = 0",) for a in (1, 2, 3, 4, 5) for b in (6, 7)],
    ),
    "track_parcel": (
        "Find out where a parcel is.",
        {"number": {"type": "string"}},
        "Where is my parcel {}?",
        [(f"PX{n}",) for n in range(10410, 10510, 10)],
    ),
    "get_definition": (
        "Look a word up in the dictionary.",
        {"word": {"type": "string"}},
        "What does the word {} mean?",
        [(w,) for w in ("terse", "quaint", "lucid", "brisk", "ample", "frail", "vivid", "dense", "mirth", "gusto")],
    ),
    "resize_image": (
        "Resize an image file.",
        {"file": {"type": "string"}, "width": {"type": "integer"}, "keep_ratio": {"type": "boolean"}},
        "Make {} {} pixels wide; keep the ratio: {}.",
        [
            (f, w, k)
            for f, w in (("a.png", 64), ("b.jpg", 800), ("cat.gif", 320), ("x.png", 1024), ("me.jpg", 200))
            for k in (True, False)
        ],
    ),
    "delete_file": (
        "Delete a file.",
        {"path": {"type": "string"}, "force": {"type": ["boolean", "null"]}},
        "Delete {}, force {}.",
        [(p, f) for p in ("/tmp/a", "/tmp/b.txt", "C:\\x", "notes.md", "./old log") for f in (True, False)],
    ),
}
TEMPLATE = """{%- if tools -%}<|im_start|>system
You call functions to answer. The functions are:
{% for tool in tools %}{% set called = tool.function -%}
{{ called.name }}: {{ called.description }} {{ called.parameters.properties | tojson }}
{% endfor %}Write each call as
<tool_call>
{"name": NAME, "arguments": ARGUMENTS}
</tool_call><|im_end|>
{% endif -%}
{%- for message in messages -%}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}"""
WAYS = ("required", "strict", "auto")


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema of a tool's arguments, all of which are required."""
    properties = TOOLS[name][1]
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def questions() -> list[tuple[str, dict[str, Any], str, list[str]]]:
    """Return 200 of (tool, arguments, question, names of the tools that are offered)."""
    names, found = list(TOOLS), []
    for place, (name, (_, properties, text, fillings)) in enumerate(TOOLS.items()):
        for number, values in enumerate(fillings):
            others = [names[(place + step * (number + 1)) % len(names)] for step in (1, 3, 7)]
            offered = sorted({name, *others})
            shown = [", ".join(each) if isinstance(each, list) else each for each in values]
            found.append((name, dict(zip(properties, values, strict=True)), text.format(*shown), offered))
    return found


async def ask(client: openai.AsyncOpenAI, way: str, question: tuple[Any, ...], *, stream: bool) -> dict[str, Any]:
    """Ask one question; return what is found of its calls."""
    name, arguments, text, offered = question
    strict = {"strict": True} if way == "strict" else {}
    tools: list[Any] = [
        {
            "type": "function",
            "function": {"name": each, "description": TOOLS[each][0], "parameters": schema_of(each), **strict},
        }
        for each in offered
    ]
    asked: dict[str, Any] = {
        "model": "model",
        "messages": [{"role": "user", "content": text}],
        "tools": tools,
        "tool_choice": "required" if way == "required" else "auto",
        "parallel_tool_calls": False,
        "max_tokens": 120,
        "temperature": 0,
    }
    if stream:
        calls, finish = [], None
        async for chunk in await client.chat.completions.create(**asked, stream=True):
            (choice,) = chunk.choices
            finish = choice.finish_reason or finish
            for delta in choice.delta.tool_calls or ():
                if delta.id is not None:
                    calls.append([delta.function.name, ""])
                calls[-1][1] += delta.function.arguments or ""
    else:
        (choice,) = (await client.chat.completions.create(**asked)).choices
        finish = choice.finish_reason
        calls = [[each.function.name, each.function.arguments] for each in choice.message.tool_calls or ()]
    found = {"calls": calls, "finish": finish, "valid": True, "right_tool": False, "right": False}
    for called, written in calls:
        try:
            read = json.loads(written)
            if way != "auto":
                jsonschema.validate(read, schema_of(called))
        except (ValueError, jsonschema.ValidationError):
            found["valid"] = finish == "length"  # told as cut
            continue
        found["right_tool"] = called == name
        found["right"] = called == name and read == arguments
    if way == "required" and not calls:
        found["valid"] = finish == "length"
    return found


async def run(base_url: str, limit: int | None = None) -> dict[str, Any]:
    """Ask all questions in all ways, whole and streamed; return the counts by way."""
    report: dict[str, Any] = {}
    room = asyncio.Semaphore(16)
    async with openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=600) as client:
        asked = questions()[:limit]

        async def both(way: str, place: int) -> tuple[dict[str, Any], dict[str, Any]]:
            async with room:
                whole = await ask(client, way, asked[place], stream=False)
                return whole, await ask(client, way, asked[place], stream=True) if place % 4 == 0 else whole

        for way in WAYS:
            began, counts = time.perf_counter(), Counter[str]()
            for whole, streamed in await asyncio.gather(*(both(way, place) for place in range(len(asked)))):
                counts["asked"] += 1
                counts["streamed_differently"] += whole != streamed
                counts["called"] += bool(whole["calls"])
                counts["cut"] += whole["finish"] == "length"
                counts["unparseable"] += not whole["valid"]
                counts["right_tool"] += whole["right_tool"]
                counts["right"] += whole["right"]
            report[way] = {**counts, "seconds": round(time.perf_counter() - began, 1)}
            print(way, report[way], flush=True)
    return report


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--limit", type=int, help="first questions only")
    given = parser.parse_args()
    from torchpaged import AsyncLLM
    from torchpaged.serving.options import ServeOptions
    from torchpaged.serving.server import Server, address_of, listen

    llm = AsyncLLM(
        str(given.model),
        num_blocks=1200,
        max_model_len=1024,
        dtype="bfloat16",
        chat_template=TEMPLATE,
        served_model_name="model",
    )
    options = ServeOptions(port=0, tool_call_parser="hermes")
    listener = listen(options)
    server = Server(llm, options)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    report = asyncio.run(run(address_of(listener, options), given.limit))
    server.should_exit = True
    thread.join(60)
    llm.shutdown()
    if given.output is not None:
        given.output.write_text(json.dumps({"model": given.model.name, **report}, indent=1) + "\n")


if __name__ == "__main__":
    main()
