// The editor of plans: names that fit at the caret, a preview by the service after each change, drafts in this browser.
// Without this script the page works by its buttons.

const PREVIEW_PAUSE_MS = 600;
const RETRY_MS = 2000;
const MAX_NAMES = 40;
const DRAFTS = "ciphermark.drafts";
const LAST_EDIT = "last edit";

const form = document.querySelector("form[data-editor]");
const text = form.querySelector("textarea");
const list = document.getElementById("plan-names");
const status = form.querySelector("[data-names-status]");
const numbers = form.querySelector(".lines");
const preview = document.querySelector("[data-part=preview]");

// --- Preview -------------------------------------------------------------------------------------------------------

let request = null;
let timer = null;

function previewLater(pause = PREVIEW_PAUSE_MS) {
  clearTimeout(timer);
  timer = setTimeout(showPreview, pause);
}

// Agents that build their first runners: the page tries again until they have them. An edit ends a submission.
function retryLater(next = showPreview) {
  const waiting = preview.querySelector("[data-retry]");
  if (!waiting) return;
  clearTimeout(timer);
  timer = setTimeout(next, 1000 * Number(waiting.dataset.retry));
}

async function submitAgain() {
  const fields = new FormData(form);
  fields.set("do", "submit");
  const answer = await send(new URLSearchParams(fields)).catch(() => null);
  if (answer?.redirected) {
    location.assign(answer.url);
    return;
  }
  if (answer) showPart(await answer.text());
  waitToSubmit();
}

function waitToSubmit() {
  const remedy = preview.querySelector("[data-submitted] [data-remedy]");
  if (!remedy) return;
  remedy.textContent = "This page submits the plan when they are ready. An edit ends this.";
  retryLater(submitAgain);
}

function send(body, signal) {
  return fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" }, signal });
}

function showPart(page) {
  const fresh = new DOMParser().parseFromString(page, "text/html").querySelector("[data-part=preview]");
  if (fresh) preview.replaceChildren(...fresh.childNodes);
  markLines();
}

async function showPreview() {
  request?.abort();
  request = new AbortController();
  preview.setAttribute("aria-busy", "true");
  try {
    const answer = await send(new URLSearchParams({ plan: text.value, do: "preview" }), request.signal);
    const page = await answer.text();
    // 429 and 503: the service plans for others; the present preview stays until it has time.
    if ((answer.status === 429 || answer.status === 503) && !page.includes("data-retry")) {
      previewLater(RETRY_MS);
      return;
    }
    showPart(page);
    retryLater();
  } catch (error) {
    if (error.name === "AbortError") return;
    previewLater(RETRY_MS);
  }
  preview.removeAttribute("aria-busy");
}

// --- Lines ---------------------------------------------------------------------------------------------------------

function markLines() {
  const wrong = new Set([...preview.querySelectorAll("[data-line]")].map((link) => Number(link.dataset.line)));
  const count = text.value.split("\n").length;
  numbers.replaceChildren(
    ...Array.from({ length: count }, (_, index) => {
      const number = document.createElement("span");
      number.textContent = `${index + 1}\n`;
      number.classList.toggle("bad", wrong.has(index + 1));
      return number;
    }),
  );
  numbers.scrollTop = text.scrollTop;
}

preview.addEventListener("click", (event) => {
  const link = event.target.closest("[data-line]");
  if (!link) return;
  event.preventDefault();
  const lines = text.value.split("\n");
  const start = lines.slice(0, Number(link.dataset.line) - 1).reduce((sum, line) => sum + line.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[Number(link.dataset.line) - 1] ?? "").length);
});
text.addEventListener("scroll", () => {
  numbers.scrollTop = text.scrollTop;
  close();
});

// --- Names at the caret --------------------------------------------------------------------------------------------

let keys = [];
let shown = [];
let active = -1;

// The place of the caret in the document: the keys around it, the word before it, and whether a value or a key is there.
// The text is incomplete while it is written, so it is scanned by indentation and brackets.
function placeOf(before) {
  const word = /["']?([A-Za-z0-9_.*-]*)$/.exec(before);
  const place = { start: before.length - word[0].length, word: word[1], isItem: false, isValue: false };
  const block = []; // Keys above, each with its column.
  const flow = []; // Open brackets, each with its current key.
  for (const line of before.slice(0, place.start).split("\n")) {
    let rest = line;
    place.isItem = place.isValue = false;
    if (!flow.length) {
      const indent = /^ */.exec(line)[0].length;
      rest = line.slice(indent);
      let at = indent;
      for (let dash; (dash = /^-( +|$)/.exec(rest)); at += dash[0].length, rest = rest.slice(dash[0].length)) {
        while (block.length && block.at(-1).column > at) block.pop();
        place.isItem = true;
      }
      const key = /^["']?([A-Za-z_]+)["']?:(\s+|$)/.exec(rest);
      if (!rest.startsWith("#") && (key || !place.isItem)) {
        while (block.length && block.at(-1).column >= at) block.pop();
      }
      if (key) {
        block.push({ column: at, name: key[1] });
        rest = rest.slice(key[0].length);
        place.isItem = false;
        place.isValue = key[2] !== "";
      }
    }
    scanBrackets(rest, flow);
  }
  const names = [...block.map((key) => key.name), ...flow.map((bracket) => bracket.key).filter(Boolean)];
  if (flow.length) {
    place.isItem = false;
    place.isValue = flow.at(-1).opener === "[" || flow.at(-1).key !== "";
  }
  return { ...place, path: names.join(".") };
}

function scanBrackets(rest, flow) {
  const tokens = /#.*|"[^"]*"?\s*:?|'[^']*'?\s*:?|[[\]{},]|[^\s[\]{},"']+/g;
  for (const [token] of rest.matchAll(tokens)) {
    if (token === "[" || token === "{") flow.push({ opener: token, key: "" });
    else if (token === "]" || token === "}") flow.pop();
    else if (token === "," && flow.length) flow.at(-1).key = "";
    else if (flow.at(-1)?.opener === "{" && token.endsWith(":")) flow.at(-1).key = token.replace(/["':\s]/g, "");
  }
}

function namesAt(place) {
  const inner = place.path ? `${place.path}.` : "";
  const children = keys.filter((key) => key.path.startsWith(inner) && !key.path.slice(inner.length).includes("."));
  const values = keys.find((key) => key.path === place.path)?.values ?? [];
  const found = place.isValue ? values : children.map((key) => `${key.path.slice(inner.length)}:`);
  const all = place.isItem ? [...values, ...found] : found;
  const word = place.word.toLowerCase();
  const starting = all.filter((name) => name.toLowerCase().startsWith(word));
  const containing = all.filter((name) => word && name.toLowerCase().indexOf(word) > 0);
  return [...starting, ...containing].slice(0, MAX_NAMES);
}

function suggest(requested) {
  const place = placeOf(text.value.slice(0, text.selectionStart));
  shown = text.selectionStart === text.selectionEnd && (requested || place.word) ? namesAt(place) : [];
  if (shown.length === 1 && shown[0] === place.word) shown = [];
  if (!shown.length) return close();
  list.replaceChildren(
    ...shown.map((name, index) => {
      const option = document.createElement("li");
      option.role = "option";
      option.id = `plan-name-${index}`;
      option.textContent = name;
      return option;
    }),
  );
  list.hidden = false;
  status.textContent = `${shown.length} names fit: arrow keys and Enter insert one, Escape closes.`;
  activate(requested ? 0 : -1);
  moveToCaret();
}

// The text does not wrap and has one width of characters, so the caret's place follows from its line and column.
function moveToCaret() {
  const style = getComputedStyle(text);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const lines = text.value.slice(0, text.selectionStart).split("\n");
  const left = lines.at(-1).length * pen.measureText("0").width + parseFloat(style.paddingLeft) - text.scrollLeft;
  const top = lines.length * parseFloat(style.lineHeight) + parseFloat(style.paddingTop) - text.scrollTop;
  list.style.left = `${text.offsetLeft + Math.max(0, Math.min(left, text.clientWidth - list.offsetWidth))}px`;
  list.style.top = `${text.offsetTop + top + 2}px`;
}

function activate(index) {
  active = index;
  [...list.children].forEach((option, number) => option.setAttribute("aria-selected", String(number === index)));
  const chosen = list.children[index];
  if (chosen) text.setAttribute("aria-activedescendant", chosen.id);
  else text.removeAttribute("aria-activedescendant");
  chosen?.scrollIntoView({ block: "nearest" });
}

function close() {
  list.hidden = true;
  shown = [];
  active = -1;
  status.textContent = "";
  text.removeAttribute("aria-activedescendant");
}

function insert(name) {
  const place = placeOf(text.value.slice(0, text.selectionStart));
  const plain = /^[A-Za-z0-9][A-Za-z0-9 _.:-]*$/.test(name);
  text.setSelectionRange(place.start, text.selectionStart);
  // execCommand keeps the history of the text, so that Ctrl+Z works.
  const inserted = `${plain ? name : JSON.stringify(name)}${name.endsWith(":") ? " " : ""}`;
  if (!document.execCommand("insertText", false, inserted)) text.setRangeText(inserted, place.start, text.selectionEnd, "end");
  close();
  changed();
}

text.addEventListener("keydown", (event) => {
  if (event.key === " " && event.ctrlKey) {
    event.preventDefault();
    suggest(true);
  } else if (!list.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    const step = event.key === "ArrowDown" ? 1 : -1;
    activate((active + step + shown.length + (active < 0 && step < 0 ? 1 : 0)) % shown.length);
  } else if (!list.hidden && event.key === "Escape") {
    event.preventDefault();
    close();
  } else if (active >= 0 && (event.key === "Enter" || event.key === "Tab")) {
    event.preventDefault();
    insert(shown[active]);
  } else if (event.key === "Tab") {
    close();
  }
});
text.addEventListener("input", (event) => {
  changed();
  if (event.inputType?.startsWith("insert") || event.inputType?.startsWith("delete")) suggest(false);
});
text.addEventListener("blur", () => close());
text.addEventListener("click", () => close());
list.addEventListener("mousedown", (event) => {
  const option = event.target.closest("[role=option]");
  event.preventDefault();
  if (option) insert(option.textContent);
});

// --- Drafts --------------------------------------------------------------------------------------------------------

function drafts() {
  try {
    return JSON.parse(localStorage.getItem(DRAFTS)) ?? {};
  } catch {
    return {};
  }
}

// Returns false where the browser stores nothing: private windows, a full storage.
function store(change) {
  try {
    localStorage.setItem(DRAFTS, JSON.stringify({ ...drafts(), ...change }));
    return true;
  } catch {
    return false;
  }
}

const saveButton = form.querySelector("[data-save]");
saveButton.hidden = false;
saveButton.addEventListener("click", () => {
  const name = /^["']?name["']?:\s*["']?([^"'\s#]+)/m.exec(text.value)?.[1] ?? "unnamed";
  const stored = store({ [name]: { text: text.value, at: new Date().toISOString() } });
  const origin = form.querySelector("[data-origin]");
  origin.textContent = stored ? `Saved in this browser as ${name}.` : "This browser does not store drafts. Use a link.";
  showDrafts();
});

function showDrafts() {
  const place = document.querySelector("[data-drafts]");
  const found = Object.entries(drafts()).sort(([, first], [, second]) => second.at.localeCompare(first.at));
  if (!place) return;
  place.hidden = !found.length;
  place.querySelector("ul").replaceChildren(
    ...found.map(([name, draft]) => {
      const row = document.createElement("li");
      const open = quietButton(name, () => {
        text.value = draft.text;
        text.focus();
        changed();
      });
      const remove = quietButton("Remove", () => {
        const { [name]: _, ...kept } = drafts();
        localStorage.setItem(DRAFTS, JSON.stringify(kept));
        showDrafts();
      });
      remove.setAttribute("aria-label", `Remove the draft ${name}`);
      const at = document.createElement("span");
      at.className = "muted small";
      at.textContent = ` ${draft.at.slice(0, 16).replace("T", " ")} UTC `;
      row.append(open, at, remove);
      return row;
    }),
  );
}

function quietButton(label, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = label;
  button.addEventListener("click", action);
  return button;
}

// --- Start ---------------------------------------------------------------------------------------------------------

function changed() {
  markLines();
  previewLater();
  store({ [LAST_EDIT]: { text: text.value, at: new Date().toISOString() } });
}

markLines();
showDrafts();
// A line that is longer than the box, or the way back from another page: the browser restores the text after the start.
addEventListener("pageshow", (event) => event.persisted && changed());
if (text.value !== text.defaultValue) changed();
else if (preview.querySelector("[data-submitted]")) waitToSubmit();
else retryLater();
fetch(form.dataset.names, { headers: { Accept: "application/json" } })
  .then((answer) => (answer.ok ? answer.json() : []))
  .then((found) => (keys = found))
  .catch(() => (keys = []));
