// Buttons and forms that call the API: runs, watches, imports, tags of a run, name, labels and notes of an agent; imports
// of files of other tools; the message lengths in a file.
// The browser sends the session cookie; pages of other sites cannot make these requests.

const ACTIONS = {
  delete: (address) => send("DELETE", address),
  archive: (address) => send("PATCH", address, { archived: true }),
  unarchive: (address) => send("PATCH", address, { archived: false }),
  change: (address, body) => send("PATCH", address, JSON.parse(body)),
};

// Attributes: data-action; data-address of the object in the API; data-confirm, a question before it; data-after, the page
// that follows the object's deletion; data-body of a change.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const { action, address, confirm: question, after, body } = button.dataset;
  if (question && !confirm(question)) return;
  button.disabled = true;
  const problem = await (ACTIONS[action]?.(address, body) ?? send("POST", `${address}/${action}`));
  if (after && !problem) {
    location.assign(after);
    return;
  }
  button.disabled = false;
  button.blur();
  report(problem);
  document.dispatchEvent(new CustomEvent("ciphermark:changed"));
});

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-change]");
  if (!form) return;
  event.preventDefault();
  const change = {};
  for (const field of form.elements) {
    // What was not edited here may have been changed by another user since.
    if (!field.name || field.value === field.defaultValue) continue;
    change[field.name] = "words" in field.dataset ? field.value.split(/[\s,]+/).filter(Boolean) : field.value;
  }
  const problem = await send("PATCH", form.dataset.change, change);
  report(problem);
  if (!problem) location.reload();
});

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-import]");
  if (!form) return;
  event.preventDefault();
  const { file, format, device } = form.elements;
  const button = form.querySelector("button");
  button.disabled = true;
  report("");
  try {
    const body = { name: file.files[0].name, content: await textOf(file.files[0], Number(form.dataset.maxBytes)) };
    if (format.value) body.format = format.value;
    if (device.value.trim()) body.device = device.value.trim();
    const { problem, location: added } = await request("POST", form.dataset.import, body);
    report(problem);
    if (!problem) location.assign(added.replace("/api/v1", ""));
  } catch (error) {
    report(error.message);
  }
  button.disabled = false;
});

document.addEventListener("change", async (event) => {
  const input = event.target.closest("input[data-histogram]");
  if (!input || !input.files.length) return;
  const field = input.form.elements.lengths;
  report("");
  field.value = "";
  try {
    const content = await textOf(input.files[0], Number(input.dataset.maxBytes));
    const { problem, document: histogram } = await request("POST", input.dataset.histogram, { content });
    if (problem) throw new Error(`${input.files[0].name}: ${problem}`);
    if (histogram.text.length > field.maxLength) {
      throw new Error(
        `${input.files[0].name} has ${histogram.lengths_bytes.length} different lengths, more than an address can have. ` +
          "Use ciphermark traffic RUN --file.",
      );
    }
    field.value = histogram.text;
  } catch (error) {
    report(error.message);
    input.value = "";
  }
});

// Returns the text of a file, decompressed if gzip compressed it; throws an error with a sentence for the user.
async function textOf(file, maxBytes) {
  const first = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const compressed = first[0] === 0x1f && first[1] === 0x8b;
  const stream = compressed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const reader = stream.getReader();
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > maxBytes) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    throw new Error(compressed ? "The file is no whole gzip file of UTF-8 text." : "The file is no UTF-8 text.");
  }
  await reader.cancel();
  throw new Error(`The file has more than ${maxBytes / 2 ** 20} MiB. Split it into smaller files.`);
}

function report(problem) {
  const place = document.querySelector(".problem[role=alert]");
  place.hidden = !problem;
  place.textContent = problem;
}

async function send(method, address, body = {}) {
  return (await request(method, address, body)).problem;
}

async function request(method, address, body) {
  try {
    const answer = await fetch(address, {
      method,
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) {
      const found = await answer.json().catch(() => null);
      return { problem: "", location: answer.headers.get("Location"), document: found };
    }
    const found = await answer.json();
    const faults = (found.errors ?? []).map((fault) => `${fault.field}: ${fault.allowed}.`);
    return { problem: [found.detail, ...faults, found.remedy].filter(Boolean).join(" ") };
  } catch {
    return { problem: "The service does not respond. Nothing was changed." };
  }
}
