// Keeps the parts of a page current: events say that something happened, then the page is fetched again and the parts
// that differ are put in. So there is one place that knows how things look, the server's templates.

const MIN_PAUSE_MS = 1000;
const SLOW_POLL_MS = 10000;
const FRAGMENT_PAUSE_MS = 4000;
const KINDS = ["run-state", "job-state", "progress", "verdict", "agent-state", "agent-health"];

let fetching = false;
let wanted = false;
let lastFetch = 0;

async function refresh() {
  if (fetching) {
    wanted = true;
    return;
  }
  fetching = true;
  wanted = false;
  lastFetch = Date.now();
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok) putIn(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // The service is away; the next event or poll tries again.
  }
  fetching = false;
  if (wanted) schedule();
}

function putIn(fresh) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const update = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
    // Who is in the middle of a table or about to press a button keeps what is under the hand.
    if (!update || part.contains(document.activeElement) || part.innerHTML === update.innerHTML) continue;
    const scrolled = [...part.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    part.replaceChildren(...update.childNodes);
    part.querySelectorAll(".scroll").forEach((box, index) => (box.scrollLeft = scrolled[index] ?? 0));
  }
  // A run that has ended has nothing more to tell.
  if (!fresh.querySelector("[data-events]")) source?.close();
  document.dispatchEvent(new CustomEvent("ciphermark:refreshed"));
}

// A part that takes the service a moment is fetched after the page, and again when the run has moved on.
let fragmentsAt = 0;
let fragmentsOf = null;
async function loadFragments() {
  const progress = document.querySelector("[data-part=head] .counts")?.textContent ?? "";
  if (progress === fragmentsOf || Date.now() - fragmentsAt < FRAGMENT_PAUSE_MS) return;
  fragmentsOf = progress;
  fragmentsAt = Date.now();
  for (const place of document.querySelectorAll("[data-fragment]")) {
    try {
      const answer = await fetch(place.dataset.fragment, { headers: { Accept: "text/html" } });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-answer]");
      if (!answer.ok || !found || place.contains(document.activeElement)) continue;
      const closed = [...place.querySelectorAll("details")].map((details) => !details.open);
      place.replaceChildren(...found.childNodes);
      place.querySelectorAll("details").forEach((details, index) => (details.open = !(closed[index] ?? !details.open)));
    } catch {
      fragmentsOf = null;
    }
  }
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
  // What happened between the making of the page and this moment was told to nobody.
  source.onopen = schedule;
  source.onmessage = schedule;
  for (const kind of KINDS) source.addEventListener(kind, schedule);
  // What no event tells (an agent has fallen silent, minutes have passed), and what was missed while asleep.
  setInterval(schedule, SLOW_POLL_MS);
  document.addEventListener("visibilitychange", schedule);
  addEventListener("pagehide", () => source.close());
}
// After a button: a cancelled run that is resumed has new events to listen to, so the page starts anew.
document.addEventListener("ciphermark:changed", () => (source ? schedule() : location.reload()));
