"""Chat templates of the styles that checkpoints have, and what a sandbox must refuse, for tests."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "chatml": """\
{%- for m in messages %}
{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- endif %}
""",
    "tools and dates": """\
{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = strftime_now("%d %b %Y") %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "Today: " + date_string + "\\n\\n" }}
{%- if tools is not none %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{%- for message in messages %}
    {%- if message.tool_calls %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '{"name": "' + call.name + '", "parameters": ' }}
        {{- call.arguments | tojson }}
        {{- "}" + eos_token }}
    {%- elif message.role == "tool" %}
        {{- message.content | tojson }}
    {%- else %}
        {{- '<|' + message['role'] + '|>' + message['content'] | trim + eos_token }}
    {%- endif %}
{%- endfor %}
{{- '<|assistant|>' if add_generation_prompt }}""",
    "alternating, with loop controls": """\
{{ bos_token }}{% for message in messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{% endif %}
{% if message.content is not string %}{% continue %}{% endif %}
{% if loop.index > 6 %}{% break %}{% endif %}
{{ '[INST] ' + message['content'] + ' [/INST]' if message['role'] == 'user' else message['content'] + eos_token }}
{% endfor %}""",
    "reasoning": """\
{%- set ns = namespace(last=-1, seen=dict(n=0), names=dict.fromkeys(['a', 'b'], 0)) %}
{%- for m in messages[::-1] %}{%- if m.role == "user" and ns.last == -1 %}{%- set ns.last = loop.index0 %}{%- endif %}
{%- endfor %}
{%- for m in messages %}
{%- set content = m.content if m.content is string else '' %}
{%- if m.role == "assistant" %}
{%- if m.reasoning_content is string %}{{- '<think>\\n' + m.reasoning_content.strip('\\n') + '\\n</think>\\n' }}
{%- elif '</think>' in content %}{%- set content = content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}
{%- endif %}
{{- m.role + ':' + content + '|' + (m.thinking or '') + '|' + (m.items() | list | string) + '\\n' }}
{%- endfor %}
{{- ns.last }}{{- ns.names | tojson }}{{- enable_thinking if enable_thinking is defined else 'unset' }}
{%- if add_generation_prompt %}{{- '<think>\\n\\n</think>\\n\\n' if enable_thinking is false else '' }}{%- endif %}""",
    "generation blocks": """\
{% for m in messages %}
{% set seen = 'outer' %}
{% if m.role == 'assistant' %}
{% generation %}{% set seen = 'inner' %}{{ m.content }}{{ seen }}{{ eos_token }}{% endgeneration %}
{% else %}
{{ m.content }}
{%- generation -%} x {%- endgeneration -%}
{% endif %}
{{ seen }}{% endfor %}""",
    "parts and macros": """\
{%- macro text(content) -%}
{%- if content is string -%}{{ content }}{%- else -%}
{%- for part in content -%}{%- if part.type == 'text' -%}{{ part.text }}{%- else -%}<{{ part.type }}>{%- endif -%}
{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- for m in messages %}{{ m.role }}={{ text(m.content) }}
{% endfor %}{{ documents | tojson }}{{ tools | length if tools else 'none' }}{{ word }}\
{{ messages | tojson(sort_keys=true) }}\
{{ "%s %d" | format('a', 3) }}{{ messages | map(attribute='role') | unique | join(',') }}{{ 'é<&>' | tojson }}\
{{ ['é', 1.5, none, true] | tojson(ensure_ascii=true, separators=(',', ':')) }}""",
    "trimmed": "{% for m in messages %}{{ m.role }}: {{ m.content | trim }}\n{% endfor %}",
    "without messages": "{{ bos_token }}{{ pad_token }}{{ image_token }}{{ undefined.x if undefined is defined }}!",
    "fails by type": "{{ messages + 1 }}",
    "fails by attribute": "{{ messages[0].nothing.more }}",
    "fails by syntax": "{% for m in messages %}{{ m.content }}",
    "raises": "{{ raise_exception('é: ' ~ messages | length) }}",
    "internals": "{{ messages.__class__.__mro__ }}{{ ''.__class__ }}{{ raise_exception.__globals__ }}",
    "changes a list": "{{ messages.append(1) }}",
    "changes a dictionary": "{{ messages[0].update({'role': 'x'}) }}",
    "namespace of internals": "{% set ns = namespace(__class__=1) %}{{ ns }}",
    "sets internals": "{% set ns = namespace(a=1) %}{% set ns._b = 2 %}{{ ns.a }}",
    "dictionary": "{{ dict(a=1) | tojson }}{{ dict([('b', 2)]) | tojson }}{{ dict.fromkeys('ab') }}{{ dict.items }}",
    "functions": "{{ range(3) | list }}{{ lipsum is defined }}"
    "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}",
    "namespace called self": "{% set ns = namespace(self=3, x=messages | length) %}{% set ns.x = ns.x + 1 %}{{ ns.x }}",
}
