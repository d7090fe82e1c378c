// Keeps the parts of a page current: after an event, the page is fetched again and the parts that differ are replaced.
// The server's templates are the only place that renders them.

const MIN_PAUSE_MS = 1000;
const SLOW_POLL_MS = 10000;
const FRAGMENT_PAUSE_MS = 4000;
const KINDS = ["run-state", "job-state", "progress", "verdict", "agent-state", "agent-health"];

let fetching = false;
let refreshAgain = false;
let lastFetch = 0;

async function refresh() {
  if (fetching) {
    refreshAgain = true;
    return;
  }
  fetching = true;
  refreshAgain = false;
  lastFetch = Date.now();
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok) replaceParts(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // The service is unreachable; the next event or poll tries again.
  }
  fetching = false;
  if (refreshAgain) schedule();
}

function replaceParts(fresh) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const update = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
    for (const place of update?.querySelectorAll("[data-fragment]") ?? []) {
      const loaded = part.querySelector(`[data-fragment="${place.dataset.fragment}"][data-loaded]`);
      if (loaded) place.replaceWith(loaded.cloneNode(true));
    }
    // A part that contains the focus is not replaced while the user works in it.
    if (!update || part.contains(document.activeElement) || part.innerHTML === update.innerHTML) continue;
    const scrolled = [...part.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    const opened = [...part.querySelectorAll("details")].map((details) => details.open);
    const earlier = [...part.querySelectorAll("[data-earlier]")].map((button) => button.getAttribute("aria-expanded"));
    part.replaceChildren(...update.childNodes);
    part.querySelectorAll("details").forEach((details, index) => (details.open = opened[index] ?? details.open));
    part.querySelectorAll("[data-earlier]").forEach((button, index) => earlier[index] === "true" && button.click());
    part.querySelectorAll(".scroll").forEach((box, index) => (box.scrollLeft = scrolled[index] ?? 0));
  }
  // A run that has ended sends no more events.
  if (!fresh.querySelector("[data-events]")) source?.close();
  document.dispatchEvent(new CustomEvent("ciphermark:refreshed"));
}

// Parts that take the service longer are fetched after the page, and again when the run's progress changes.
let fragmentsAt = 0;
let fragmentsOf = null;
async function loadFragments() {
  const progress = document.querySelector("[data-part=head] .counts")?.textContent ?? "";
  const due = progress !== fragmentsOf && Date.now() - fragmentsAt >= FRAGMENT_PAUSE_MS;
  if (due) [fragmentsOf, fragmentsAt] = [progress, Date.now()];
  for (const place of document.querySelectorAll("[data-fragment]")) {
    if (!due && (place.dataset.loaded || !place.closest("[data-part]"))) continue;
    try {
      const answer = await fetch(place.dataset.fragment, { headers: { Accept: "text/html" } });
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      // A question that the run cannot answer: what is wrong with it, and what to do.
      const refused = answer.status === 422 ? part.querySelectorAll("[role=alert] > p:not(:last-child)") : [];
      const found = answer.ok ? part.querySelector("[data-answer]")?.childNodes ?? [] : refused;
      if (!found.length || place.contains(document.activeElement)) continue;
      const closed = [...place.querySelectorAll("details")].map((details) => !details.open);
      place.replaceChildren(...found);
      place.dataset.loaded = "true";
      place.querySelectorAll("details").forEach((details, index) => (details.open = !(closed[index] ?? !details.open)));
    } catch {
      fragmentsOf = null;
    }
  }
  document.dispatchEvent(new CustomEvent("ciphermark:loaded"));
}
document.addEventListener("ciphermark:refreshed", loadFragments);
loadFragments();

let timer = null;
function schedule() {
  if (timer !== null || document.hidden) return;
  const pause = Math.max(0, lastFetch + MIN_PAUSE_MS - Date.now());
  timer = setTimeout(() => {
    timer = null;
    refresh();
  }, pause);
}

const address = document.querySelector("[data-events]")?.dataset.events;
const source = address ? new EventSource(address) : null;
if (source) {
  // Events between the rendering of the page and this moment were not received.
  source.onopen = schedule;
  source.onmessage = schedule;
  for (const kind of KINDS) source.addEventListener(kind, schedule);
  // Polling covers changes without an event (a silent agent, passing time) and events missed during standby.
  setInterval(schedule, SLOW_POLL_MS);
  document.addEventListener("visibilitychange", schedule);
  addEventListener("pagehide", () => source.close());
}
// After an action: a resumed run sends events again, so a page without an event source is reloaded.
document.addEventListener("ciphermark:changed", () => (source ? schedule() : location.reload()));

// Runs of one name are one row; the button shows the others.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-earlier]");
  if (!button) return;
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(open));
  for (let next = button.closest("tbody").nextElementSibling; next?.matches(".shown, .folded"); next = next.nextElementSibling) {
    next.className = open ? "shown" : "folded";
  }
});
