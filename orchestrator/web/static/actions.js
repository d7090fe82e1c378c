// Pause, resume, cancel and delete. The browser sends the session cookie; pages of other sites cannot make this request.

const CONFIRMATIONS = {
  cancel: "Cancel this run? Its results are kept, and it can be resumed later.",
  delete: "Delete this run with all its results? This cannot be undone. `ciphermark runs export` keeps them in a file.",
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const { action, run } = button.dataset;
  if (CONFIRMATIONS[action] && !confirm(CONFIRMATIONS[action])) return;
  button.disabled = true;
  const problem =
    action === "delete" ? await send("DELETE", `/api/v1/runs/${run}`) : await send("POST", `/api/v1/runs/${run}/${action}`);
  if (action === "delete" && !problem) {
    location.assign("/");
    return;
  }
  button.disabled = false;
  button.blur();
  const place = document.querySelector(".problem[role=alert]");
  place.hidden = !problem;
  place.textContent = problem;
  document.dispatchEvent(new CustomEvent("ciphermark:changed"));
});

async function send(method, address) {
  try {
    const answer = await fetch(address, {
      method,
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: "{}",
    });
    if (answer.ok) return "";
    const problem = await answer.json();
    return [problem.detail, problem.remedy].filter(Boolean).join(" ");
  } catch {
    return "The service does not respond. Nothing was changed.";
  }
}
