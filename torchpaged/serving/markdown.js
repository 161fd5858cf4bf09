// Markdown as DOM nodes. What a model writes becomes text nodes and the elements named here, and nothing else: no HTML
// is parsed, no address but that of a link a person clicks is taken from it, and images are shown as links.
const markdown = (() => {
  const SPAN = 2000;  // letters that emphasis, code or a link may span: keeps the work linear in the text
  const DEEP = 8;     // quotes, lists and emphasis in each other
  const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
  const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
  const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
  const QUOTE = /^ {0,3}> ?/;
  const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])(?: +|$)/;
  const DIVIDER = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
  const ADDRESS = /https?:\/\/[^\s<>()"'`\]]+/y;
  const PUNCTUATION = /[!-/:-@[-`{-~]/;
  const MARKS = [["**", "strong"], ["__", "strong"], ["~~", "del"], ["*", "em"], ["_", "em"]];

  const element = (kind, name) => {
    const made = document.createElement(kind);
    if (name) made.className = name;
    return made;
  };

  function link(address, label, depth) {
    if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return null;
    const made = element("a");
    made.setAttribute("href", address);
    made.setAttribute("rel", "noopener noreferrer nofollow");
    made.setAttribute("target", "_blank");
    inline(made, label, depth + 1, true);
    return made;
  }

  // Where a mark's other end is, or -1.
  function end(text, start, mark) {
    const part = text.slice(start, start + SPAN);
    for (let at = part.indexOf(mark, 1); at > 0; at = part.indexOf(mark, at + 1)) {
      const before = part[at - 1], behind = part[at + mark.length] ?? "";
      if (/\s/.test(before) || before === "\\") continue;
      if (mark.length === 1 && (before === mark || behind === mark)) { if (behind === mark) at += 1; continue; }
      if (mark[0] === "_" && /\w/.test(behind)) continue;
      return start + at;
    }
    return -1;
  }

  function code(target, text, at) {
    const marks = /^`+/.exec(text.slice(at, at + SPAN))[0];
    const part = text.slice(at + marks.length, at + marks.length + SPAN);
    for (let close = part.indexOf(marks); close >= 0; close = part.indexOf(marks, close + 1)) {
      let behind = close + marks.length;
      if (part[behind] !== "`") {
        const made = element("code");
        made.textContent = part.slice(0, close).replace(/\n/g, " ").replace(/^ (.*\S.*) $/, "$1");
        target.append(made);
        return at + marks.length + behind;
      }
      while (part[behind] === "`") behind += 1;
      close = behind - 1;
    }
    target.append(marks);
    return at + marks.length;
  }

  // [label](address), or what is in the brackets of an image.
  function bracketed(target, text, at, depth) {
    const part = text.slice(at, at + SPAN), middle = part.indexOf("](");
    const close = middle < 0 ? -1 : part.indexOf(")", middle);
    if (close < 0 || part.slice(1, middle).includes("[")) return 0;
    const made = link(part.slice(middle + 2, close).trim().split(/\s/)[0], part.slice(1, middle) || "link", depth);
    if (made === null) return 0;
    target.append(made);
    return at + close + 1;
  }

  function inline(target, text, depth = 0, linked = false) {
    let plain = "";
    const flush = () => { if (plain) target.append(plain); plain = ""; };
    for (let at = 0; at < text.length;) {
      const letter = text[at];
      if (letter === "\\" && PUNCTUATION.test(text[at + 1] ?? "")) { plain += text[at + 1]; at += 2; continue; }
      if (letter === "\n") { flush(); plain = ""; target.append(element("br")); at += 1; continue; }
      if (letter === "`") { flush(); at = code(target, text, at); continue; }
      if (!linked && letter === "[" || (!linked && letter === "!" && text[at + 1] === "[")) {
        flush();
        const next = bracketed(target, text, letter === "!" ? at + 1 : at, depth);
        if (next) { at = next; continue; }
      }
      if (!linked && letter === "h") {
        ADDRESS.lastIndex = at;
        const found = ADDRESS.exec(text);
        if (found) {
          const address = found[0].replace(/[.,;:!?*_~]+$/, "");
          flush();
          const made = element("a");
          made.setAttribute("href", address);
          made.setAttribute("rel", "noopener noreferrer nofollow");
          made.setAttribute("target", "_blank");
          made.textContent = address;
          target.append(made);
          at += address.length;
          continue;
        }
      }
      const mark = depth < DEEP && MARKS.find(([each]) => text.startsWith(each, at));
      if (mark && !/\s/.test(text[at + mark[0].length] ?? " ") && !(letter === "_" && /\w/.test(text[at - 1] ?? ""))) {
        const close = end(text, at + mark[0].length, mark[0]);
        if (close > 0) {
          flush();
          const made = element(mark[1]);
          inline(made, text.slice(at + mark[0].length, close), depth + 1, linked);
          target.append(made);
          at = close + mark[0].length;
          continue;
        }
      }
      const whole = mark ? mark[0] : letter;
      plain += whole;
      at += whole.length;
    }
    flush();
  }

  function codeBlock(language, lines) {
    const made = element("div", "code"), head = element("div", "code-head"), body = element("pre"), inner = element("code");
    const label = element("span");
    label.textContent = language || "code";
    inner.textContent = lines.join("\n");
    body.append(inner);
    head.append(label, copyButton(() => inner.textContent));
    made.append(head, body);
    return made;
  }

  const cells = line => line.trim().replace(/^\||\|$/g, "").split("|").map(each => each.trim());

  function table(head, rows) {
    const outer = element("div", "table"), made = element("table");
    for (const [kind, row] of [["th", head], ...rows.map(each => ["td", each])]) {
      const line = element("tr");
      for (let number = 0; number < Math.max(head.length, row.length); number += 1) {
        const cell = element(kind);
        inline(cell, row[number] ?? "");
        line.append(cell);
      }
      made.append(line);
    }
    outer.append(made);
    return outer;
  }

  // One list: its items have the first one's indentation; what is indented further belongs to an item.
  function list(target, lines, start, depth) {
    const first = ITEM.exec(lines[start]), ordered = /\d/.test(first[2]);
    const made = element(ordered ? "ol" : "ul");
    if (ordered && parseInt(first[2], 10) !== 1) made.setAttribute("start", String(parseInt(first[2], 10)));
    let at = start;
    while (at < lines.length) {
      const found = ITEM.exec(lines[at]);
      if (!found || found[1].length > first[1].length + 1 || found[1].length < first[1].length
          || /\d/.test(found[2]) !== ordered || RULE.test(lines[at])) break;
      const own = [lines[at].slice(found[0].length)], inside = found[1].length + 2;
      for (at += 1; at < lines.length; at += 1) {
        const line = lines[at], indent = /^ */.exec(line)[0].length;
        if (line.trim() === "") {
          const next = lines[at + 1] ?? "";
          if (/^ */.exec(next)[0].length < inside || next.trim() === "") break;
          own.push("");
        } else if (indent >= inside) own.push(line.slice(Math.min(indent, found[0].length)));
        else if (ITEM.test(line) || begins(lines, at)) break;
        else own.push(line);
      }
      const item = element("li");
      if (own.every(line => line.trim() !== "") && own.every((_, number) => number === 0 || !begins(own, number))) inline(item, own.join("\n").trim());
      else blocks(item, own, depth + 1);
      made.append(item);
      let next = at;
      while (next < lines.length && lines[next].trim() === "") next += 1;
      if (next > at && next < lines.length && ITEM.test(lines[next])) at = next;
    }
    target.append(made);
    return at;
  }

  // Whether a line begins a block of its own, where a paragraph would go on otherwise.
  function begins(lines, at) {
    const line = lines[at];
    return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line)
      || (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-"));
  }

  function blocks(target, lines, depth) {
    for (let at = 0; at < lines.length;) {
      const line = lines[at];
      let found;
      if (line.trim() === "") at += 1;
      else if ((found = FENCE.exec(line))) {
        const own = [], close = new RegExp("^ {0,3}" + found[1][0].replace("`", "\\`") + "{" + found[1].length + ",}[ \\t]*$");
        for (at += 1; at < lines.length && !close.test(lines[at]); at += 1) own.push(lines[at]);
        at += 1;
        target.append(codeBlock(found[2].trim(), own));
      } else if ((found = HEADING.exec(line))) {
        const made = element("h" + Math.min(6, found[1].length + 1));
        inline(made, found[2].trimEnd());
        target.append(made);
        at += 1;
      } else if (RULE.test(line)) { target.append(element("hr")); at += 1; }
      else if (QUOTE.test(line) && depth < DEEP) {
        const own = [];
        for (; at < lines.length && QUOTE.test(lines[at]); at += 1) own.push(lines[at].replace(QUOTE, ""));
        const made = element("blockquote");
        blocks(made, own, depth + 1);
        target.append(made);
      } else if (ITEM.test(line) && depth < DEEP) at = list(target, lines, at, depth);
      else if (line.includes("|") && (lines[at + 1] ?? "").includes("-") && DIVIDER.test(lines[at + 1])) {
        const head = cells(line), rows = [];
        for (at += 2; at < lines.length && lines[at].includes("|"); at += 1) rows.push(cells(lines[at]));
        target.append(table(head, rows));
      } else {
        const own = [line];
        for (at += 1; at < lines.length && lines[at].trim() !== "" && !(depth < DEEP && begins(lines, at)); at += 1) own.push(lines[at]);
        const made = element("p");
        inline(made, own.join("\n").trim());
        target.append(made);
      }
    }
  }

  return (target, text) => {
    target.replaceChildren();
    blocks(target, text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n"), 0);
  };
})();
