// Sections are tabs with addresses, a question applies immediately, and a selected candidate is marked in the ranking and in
// the charts next to it.

const sections = [...document.querySelectorAll(".section")];
const links = [...document.querySelectorAll("[data-tabs] a")];

// The section of an address: the one with that id, or that contains the element with it.
function show() {
  if (!sections.length) return;
  const target = location.hash && document.getElementById(location.hash.slice(1));
  const shown = sections.find((one) => target && one.contains(target)) ?? sections[0];
  for (const one of sections) one.classList.toggle("away", one !== shown);
  for (const link of links) {
    if (link.hash === `#${shown.id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  if (target && target !== shown) target.scrollIntoView();
}

for (const link of links) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    history.pushState(null, "", link.hash);
    show();
  });
}
addEventListener("hashchange", show);
addEventListener("popstate", show);
show();

const question = document.querySelector("[data-question]");
question?.addEventListener("change", apply);
// What was chosen before this script was loaded.
if (question && [...question.elements].some(differs)) apply();

function differs(field) {
  if (field.type === "checkbox") return field.checked !== field.defaultChecked;
  if (field.options) return !([...field.options].find((one) => one.defaultSelected) ?? field.options[0]).selected;
  return field.value !== field.defaultValue;
}

// data-shows of a field: the section that it changes.
function apply(event) {
  if (!question.reportValidity()) return;
  const chosen = [...new FormData(question)].filter(([, value]) => value.trim());
  const shown = event?.target.dataset.shows;
  location.assign(`${question.action}?${new URLSearchParams(chosen)}${shown ? `#${shown}` : ""}`);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.pick");
  if (button) select(button.getAttribute("aria-pressed") === "true" ? null : button.closest("tr").dataset.series);
});
document.addEventListener("ciphermark:drawn", ({ target }) => follow(target));
document.addEventListener("ciphermark:loaded", () => select(selected));

let selected = null;
function select(series) {
  selected = series;
  for (const row of document.querySelectorAll("tr[data-series]")) {
    row.classList.toggle("selected", row.dataset.series === series);
    row.querySelector("button.pick")?.setAttribute("aria-pressed", String(row.dataset.series === series));
  }
  for (const figure of document.querySelectorAll(".decision figure[data-drawn=true]")) mark(figure);
}

function follow(figure) {
  if (!figure.matches(".decision figure") || !figure.view) return;
  figure.view.view.addEventListener("click", (_, item) => item?.datum?.series && select(item.datum.series));
  mark(figure);
}
// Charts that were drawn before this script was loaded.
for (const figure of document.querySelectorAll(".decision figure[data-drawn=true]")) follow(figure);

function mark(figure) {
  figure.view?.view.signal("marked", selected).runAsync();
}
