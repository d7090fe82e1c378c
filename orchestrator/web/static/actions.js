// Pause, resume, cancel, archive and delete runs; change the tags of a run, and the name, labels and notes of an agent.
// The browser sends the session cookie; pages of other sites cannot make these requests.

const CONFIRMATIONS = {
  cancel: "Cancel this run? Its results are kept, and it can be resumed later.",
  delete: "Delete this run with all its results? This cannot be undone. `ciphermark runs export` keeps them in a file.",
};

const ACTIONS = {
  delete: (address) => send("DELETE", address),
  archive: (address) => send("PATCH", address, { archived: true }),
  unarchive: (address) => send("PATCH", address, { archived: false }),
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const { action, run } = button.dataset;
  if (CONFIRMATIONS[action] && !confirm(CONFIRMATIONS[action])) return;
  button.disabled = true;
  const address = `/api/v1/runs/${run}`;
  const problem = await (ACTIONS[action]?.(address) ?? send("POST", `${address}/${action}`));
  if (action === "delete" && !problem) {
    location.assign("/");
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
    if (!field.name) continue;
    change[field.name] = "words" in field.dataset ? field.value.split(/[\s,]+/).filter(Boolean) : field.value;
  }
  const problem = await send("PATCH", form.dataset.change, change);
  report(problem);
  if (!problem) location.reload();
});

function report(problem) {
  const place = document.querySelector(".problem[role=alert]");
  place.hidden = !problem;
  place.textContent = problem;
}

async function send(method, address, body = {}) {
  try {
    const answer = await fetch(address, {
      method,
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return "";
    const problem = await answer.json();
    return [problem.detail, problem.remedy].filter(Boolean).join(" ");
  } catch {
    return "The service does not respond. Nothing was changed.";
  }
}
