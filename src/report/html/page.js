// Shows the data of this page. Foreign text is only ever put in as text, never as markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const counted = (n, what) => `${n} ${what}`;
  const sum = (rows, of) => rows.reduce((all, row) => all + of(row), 0);
  const undecided = (row) => Object.values(row.unknown).reduce((a, b) => a + b, 0);
  const placed = (at) => (at.file ? `${at.file}:${at.line}` : "(no place in the source)");

  let visible = data.findings.map((_, index) => index);
  let current = -1;
  let step = 0;
  let shownFile = null;
  let lines = new Map();

  // The whole -----------------------------------------------------------------------------------

  function overview() {
    $("verdict").textContent = data.verdict;
    $("verdict").className = { safe: "proved", unsafe: "violated" }[data.verdict] || "unknown";
    document.title = `cegas-scan: ${data.verdict}, ${counted(data.findings.length, "findings")}`;
    $("counts").textContent = [
      counted(sum(data.by_rule, (row) => row.proved), "proved"),
      counted(sum(data.by_rule, (row) => row.violated), "violated"),
      counted(sum(data.by_rule, undecided), "unknown"),
      counted(sum(data.by_rule, (row) => row.silenced), "silenced"),
    ].join(", ");
    $("tool").textContent = data.tool;
    $("next").textContent = data.next || "";
    table($("by-rule"), "rule", data.by_rule);
    table($("by-target"), "target", data.by_target);
    const unknown = data.unknown.map((u) => `${placed(u.at)}: ${u.reason} [${u.rule}]`);
    if (data.unknown_left_out) unknown.push(`... and ${data.unknown_left_out} more`);
    list($("unknown"), "What is unknown, and why", unknown);
    list($("notes"), "Not analysed, and notes", data.notes);
    $("none").hidden = data.findings.length > 0;
    if (data.left_out) $("none").after(make("p", `${data.left_out} more are in the JSON report.`));
  }

  function table(element, title, rows) {
    element.hidden = rows.length === 0;
    const head = make("tr");
    for (const name of [title, "proved", "violated", "unknown", ""]) {
      const cell = make("th", name);
      cell.scope = "col";
      head.append(cell);
    }
    element.tHead.append(head);
    for (const row of rows) {
      const line = make("tr");
      line.append(make("td", row[title]));
      for (const [name, n] of [["proved", row.proved], ["violated", row.violated], ["unknown", undecided(row)]]) {
        line.append(make("td", n, n > 0 ? `count ${name}` : "count"));
      }
      const reasons = Object.entries(row.unknown).map(([cause, n]) => `${data.causes[cause] || cause} ${n}`);
      if (row.silenced) reasons.push(`silenced ${row.silenced}`);
      if (row.judged_in) reasons.push(`judged in ${row.judged_in.join(", ")}`);
      if (row.not_analysed) reasons.push(`not analysed: ${row.not_analysed}`);
      line.append(make("td", reasons.join(", ")));
      element.tBodies[0].append(line);
    }
  }

  function list(element, title, texts) {
    element.hidden = texts.length === 0;
    element.querySelector("summary").textContent = `${title} (${texts.length})`;
    element.querySelector("ul").append(...texts.map((text) => make("li", text)));
  }

  // The findings --------------------------------------------------------------------------------

  function listFindings() {
    const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (f) => {
      const text = `${f.rule} ${f.message} ${placed(f.at)} ${f.at.function} ${f.targets.join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    visible = data.findings.map((_, index) => index).filter((index) => matches(data.findings[index]));
    $("findings").replaceChildren(...visible.map((index) => {
      const finding = data.findings[index];
      const button = make("button");
      button.type = "button";
      button.append(make("span", finding.rule, "rule"), ` ${finding.message}`, make("span", placed(finding.at), "place"));
      button.addEventListener("click", () => open(index));
      if (index === current) button.setAttribute("aria-current", "true");
      const item = make("li");
      item.append(button);
      return item;
    }));
  }

  function open(index, at) {
    const finding = data.findings[index];
    if (!finding) return;
    current = index;
    step = Math.min(at === undefined ? finding.steps.length - 1 : at, finding.steps.length - 1);
    $("finding").hidden = false;
    $("title").replaceChildren(make("span", finding.rule, "rule"), `: ${finding.message}`);
    const inside = finding.at.function ? ` in ${finding.at.function}` : "";
    $("where").textContent = `${placed(finding.at)}${inside} (${finding.targets.join(", ")})`;
    $("related").replaceChildren(...finding.related.map((one) => {
      const button = make("button", `${placed(one)}: ${one.text}`);
      button.type = "button";
      button.addEventListener("click", () => showCode(finding, one));
      const item = make("li");
      item.append(button);
      return item;
    }));
    const about = data.rules[finding.rule];
    $("about").hidden = !about;
    if (about) {
      $("doc").textContent = about.doc;
      $("good").textContent = about.good;
    }
    $("controls").hidden = finding.steps.length === 0;
    $("slider").max = Math.max(finding.steps.length - 1, 0);
    $("steps").replaceChildren(...finding.steps.map((one, number) => {
      const before = one.left_out ? `(${one.left_out} left out) ` : "";
      const button = make("button", `${one.number}. ${before}${"\u00a0\u00a0".repeat(Math.min(one.depth, 12))}${one.text}`);
      button.type = "button";
      button.title = placed(one);
      button.addEventListener("click", () => go(number));
      const item = make("li");
      item.append(button);
      return item;
    }));
    listFindings();
    const chosen = $("findings").querySelector("[aria-current]");
    if (chosen) reveal($("findings"), chosen);
    shownFile = null;
    show();
  }

  function other(direction) {
    const place = visible.indexOf(current);
    const next = place < 0 ? visible[0] : visible[place + direction];
    if (next !== undefined) open(next);
  }

  // The steps -----------------------------------------------------------------------------------

  function go(to) {
    const finding = data.findings[current];
    if (!finding || finding.steps.length === 0) return;
    step = Math.max(0, Math.min(to, finding.steps.length - 1));
    show();
  }

  // What has a value after a step. What belongs to a function goes when the function has returned.
  function valuesAfter(steps, last) {
    const values = new Map();
    const stack = [];
    for (let index = 0; index <= last; index++) {
      const { change, depth, function: inside } = steps[index];
      // Another function at this depth is another call.
      const from = stack[depth] === inside ? depth + 1 : depth;
      stack.length = Math.min(stack.length, from);
      stack[depth] = inside;
      for (const [key, v] of values) {
        const gone = v.object === undefined ? v.depth >= from : v.function && !stack.includes(v.function);
        if (gone) values.delete(key);
      }
      if (!change) continue;
      const owner = change.object === undefined ? `depth ${depth}` : `object ${change.object}`;
      values.set(`${owner} ${change.name}`, { ...change, depth, step: index });
    }
    return values;
  }

  function show() {
    const finding = data.findings[current];
    const at = finding.steps[step];
    const count = finding.steps.length;
    $("slider").value = Math.max(step, 0);
    $("position").textContent = count ? `${step + 1} of ${count}` : "";
    $("first").disabled = $("back").disabled = step <= 0;
    $("last").disabled = $("forward").disabled = step >= count - 1;
    const end = step === count - 1 ? ` — ${finding.message}` : "";
    $("now").textContent = at ? `${placed(at)}: ${at.text}${end}` : "There is no trace for this finding.";
    showCode(finding, at && at.file ? at : finding.at);
    const values = at ? [...valuesAfter(finding.steps, step).values()] : [];
    // What is nearest comes first: the values of the current function, then those of its callers, then memory.
    const distance = (value) => (value.function ? -value.depth + (value.function === at.function ? -1000 : 0) : 1);
    values.sort((a, b) => distance(a) - distance(b));
    $("values").tBodies[0].replaceChildren(...values.map((value) => {
      const row = make("tr", undefined, value.step === step ? "changed" : "");
      row.append(make("td", value.name), make("td", value.value), make("td", value.function || "memory"));
      return row;
    }));
    const changed = $("values").querySelector(".changed");
    if (changed) reveal($("values-pane"), changed);
    [...$("steps").children].forEach((item, number) => {
      const button = item.firstChild;
      if (number === step) {
        button.setAttribute("aria-current", "step");
        reveal($("steps"), button);
      } else button.removeAttribute("aria-current");
    });
    history.replaceState(null, "", `#${current + 1}.${step + 1}`);
  }

  function showCode(finding, at) {
    if (shownFile !== at.file) {
      shownFile = at.file;
      lines = new Map();
      $("code-title").textContent = at.file || "Code";
      const trail = new Set(finding.steps.filter((one) => one.file === at.file).map((one) => one.line));
      const parts = [];
      const stretches = data.code[at.file];
      for (const [first, texts] of stretches || []) {
        if (first > 1 || parts.length > 0) parts.push(make("div", "⋯", "gap"));
        texts.forEach((text, index) => {
          const line = make("div", undefined, trail.has(first + index) ? "trail" : "");
          line.append(make("span", first + index, "number"), make("span", text || " "));
          lines.set(first + index, line);
          parts.push(line);
        });
      }
      if (!stretches) parts.push(make("div", "This file is not part of the repository, so it is not shown.", "gap"));
      $("code").replaceChildren(...parts);
    }
    const before = $("code").querySelector(".now");
    if (before) before.classList.remove("now");
    const line = lines.get(at.line);
    if (!line) return;
    line.classList.add("now");
    reveal($("code"), line);
  }

  // Only what is inside the pane moves, not the page.
  function reveal(pane, item) {
    const [outer, inner] = [pane.getBoundingClientRect(), item.getBoundingClientRect()];
    if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    pane.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }

  // The keyboard --------------------------------------------------------------------------------

  const keys = {
    ArrowRight: () => go(step + 1), j: () => go(step + 1),
    ArrowLeft: () => go(step - 1), k: () => go(step - 1),
    Home: () => go(0), End: () => go(Infinity),
    n: () => other(1), p: () => other(-1),
    "/": () => $("filter").focus(),
    "?": () => $("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    if (event.target === $("filter")) {
      if (event.key === "Escape") $("filter").blur();
      return;
    }
    // The slider has these keys of its own, and means the same by them.
    if (event.target === $("slider") && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
  $("first").addEventListener("click", keys.Home);
  $("back").addEventListener("click", keys.ArrowLeft);
  $("forward").addEventListener("click", keys.ArrowRight);
  $("last").addEventListener("click", keys.End);
  $("slider").addEventListener("input", () => go(Number($("slider").value)));
  $("filter").addEventListener("input", listFindings);
  $("help-button").addEventListener("click", keys["?"]);

  overview();
  listFindings();
  const linked = /^#(\d+)\.(\d+)$/.exec(location.hash);
  if (linked) open(Number(linked[1]) - 1, Number(linked[2]) - 1);
  if (current < 0) open(0);
})();
