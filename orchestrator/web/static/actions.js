// Pause, resume and cancel. The session cookie goes along by itself; another site's page cannot make this request.

const QUESTIONS = { cancel: "Cancel this run? What has been measured stays, and it can be resumed later." };

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const { action, run } = button.dataset;
  if (QUESTIONS[action] && !confirm(QUESTIONS[action])) return;
  button.disabled = true;
  const problem = await ask(`/api/v1/runs/${run}/${action}`);
  button.disabled = false;
  button.blur();
  const place = document.querySelector(".problem[role=alert]");
  place.hidden = !problem;
  place.textContent = problem;
  document.dispatchEvent(new CustomEvent("ciphermark:changed"));
});

async function ask(address) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: "{}",
    });
    if (answer.ok) return "";
    const problem = await answer.json();
    return [problem.detail, problem.remedy].filter(Boolean).join(" ");
  } catch {
    return "The service does not answer. Nothing was changed.";
  }
}
