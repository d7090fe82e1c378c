// A page that was saved as a file: checks its digest, and makes the data of each chart a file to download.

const main = document.querySelector("main");
const verdict = document.querySelector("#verdict");
const text = main.textContent.replace(/[ \t\n\r\f]+/g, "");

function hex(bytes) {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

if (globalThis.crypto?.subtle) {
  const same = hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))) === verdict.dataset.digest;
  verdict.className = same ? "" : "bad";
  verdict.textContent = same
    ? "Its text and data are as they were saved."
    : "Its text or data were changed after it was saved: its figures are not those of the run.";
} else {
  verdict.textContent = "This browser cannot check its digest here.";
}

for (const figure of document.querySelectorAll("figure[data-data]")) {
  const data = JSON.parse(document.querySelector(figure.dataset.data).textContent);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type: "text/csv" }));
  link.download = `${document.title.split(" · ")[0]}.csv`;
  link.textContent = "Data as CSV";
  figure.querySelector("figcaption").append(" ", link);
}
