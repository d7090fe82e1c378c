// Draws the charts of a page. The specification comes from the server; the colors of text and lines come from the
// style sheet, so that a chart follows the page's light or dark scheme.

const GAP = 40;
const MAX_PANEL_WIDTH = 460;
const MIN_PANEL_WIDTH = 190;
const LEGEND_WIDTH = 230;
const REDRAW_MS = 5000;

const figures = [...document.querySelectorAll("figure[data-spec]")];
const dark = matchMedia("(prefers-color-scheme: dark)");

function colors() {
  const style = getComputedStyle(document.documentElement);
  const [ink, muted, line] = ["--ink", "--muted", "--line"].map((name) => style.getPropertyValue(name).trim());
  return {
    axis: { labelColor: muted, titleColor: muted, gridColor: line, domainColor: line, tickColor: line },
    legend: { labelColor: ink, titleColor: muted, symbolBaseFillColor: ink, symbolBaseStrokeColor: ink },
    header: { labelColor: ink },
    text: { color: ink },
    title: { color: ink },
  };
}

// Vega-Lite does not divide the width among the panels of a facet; this function does.
function fit(spec, width) {
  const panels = spec.usermeta.panels;
  if (spec.vconcat) {
    const narrow = width < 560;
    for (const part of spec.vconcat) part.width = Math.max(MIN_PANEL_WIDTH, width - (narrow ? 70 : 340));
    if (narrow) Object.assign(spec.config.legend, { orient: "bottom", columns: 1 });
    return spec;
  }
  if (!spec.facet && spec.usermeta.labels) return fitRows(spec, width);
  if (!spec.facet) {
    // The width includes axes and legend.
    const narrow = width < 560;
    spec.width = width;
    spec.autosize = { type: "fit-x", contains: "padding" };
    if (narrow) spec.config.legend.orient = "bottom";
    return spec;
  }
  const narrow = width < 720;
  const below = narrow || spec.spec.layer.some((one) => one.encoding?.color?.legend?.orient === "bottom");
  const room = width - (below ? 20 : LEGEND_WIDTH);
  let maxColumns = Math.max(1, Math.min(panels, Math.floor(room / (MIN_PANEL_WIDTH + GAP))));
  const rows = spec.spec.layer[0].encoding.y;
  let labels = rows?.type === "nominal" ? Math.max(120, spec.usermeta.labels ?? 0) : 55;
  // Labels of rows take at most a third of a wide chart and two fifths of a phone's.
  if (spec.usermeta.labels) {
    labels = Math.min(labels, Math.floor(width * (narrow ? 0.4 : 0.33)));
    for (const layer of spec.spec.layer) if (layer.encoding.y?.axis) layer.encoding.y.axis.labelLimit = labels - 12;
    maxColumns = Math.max(1, Math.min(panels, Math.floor((room - labels) / (MIN_PANEL_WIDTH + GAP / 2))));
  }
  // Rows of equal length: six panels become two rows of three, not four and two.
  let columns = Math.ceil(panels / Math.ceil(panels / maxColumns));
  // Panels that are compared with each other stay in one row where they fit.
  const group = spec.usermeta.group ?? 1;
  if (group > 1 && maxColumns >= group) columns = Math.max(group, maxColumns - (maxColumns % group));
  spec.columns = columns;
  // Panels with scales of their own have an axis each.
  const axis = spec.resolve?.scale?.y === "independent" ? labels : 0;
  spec.spec.width = Math.max(90, Math.min(MAX_PANEL_WIDTH, Math.floor((room - labels) / columns) - GAP / 2 - axis));
  if (narrow) Object.assign(spec.config.legend, { orient: "bottom", columns: Math.max(1, Math.floor(width / 170)) });
  return spec;
}

// One panel of labelled rows. On a phone each label is above its row: next to it, the plot would have no room.
function fitRows(spec, width) {
  const narrow = width < 720;
  spec.width = Math.max(MIN_PANEL_WIDTH, width - (narrow ? 30 : spec.usermeta.labels + 130));
  if (!narrow) return spec;
  spec.config.legend.orient = "bottom";
  spec.height = { step: 30 };
  const above = { labelAlign: "left", labelBaseline: "bottom", labelOffset: -4, labelPadding: -4, ticks: false, domain: false };
  for (const layer of spec.layer) if (layer.encoding?.y?.axis) Object.assign(layer.encoding.y.axis, above, { labelLimit: spec.width });
  return spec;
}

// A page that was saved as a file has the specification inside.
async function specification(address) {
  if (address.startsWith("#")) return JSON.parse(document.querySelector(address).textContent);
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error((await answer.json()).detail ?? answer.statusText);
  return answer.json();
}

async function draw(figure) {
  const canvas = figure.querySelector(".canvas");
  try {
    if (!window.ciphermarkEmbed) await import(figure.dataset.library);
    const given = await specification(figure.dataset.spec);
    if (given.usermeta.panels === 0) {
      canvas.textContent = "There are no data for this chart.";
      figure.dataset.drawn = "true";
      return;
    }
    const spec = fit(given, canvas.clientWidth);
    // Expressions are interpreted, not compiled: the page's policy allows no code generated from text.
    const options = { ast: true, actions: false, renderer: "canvas", defaultStyle: false, config: colors() };
    options.tooltip = { disableDefaultStyle: true };
    // The list that highlights a series is not part of the picture.
    options.bind = figure.querySelector(".bindings");
    const marked = spec.params?.find((one) => one.name === "marked" && one.bind);
    const chosen = figure.querySelector(".bindings select")?.selectedOptions[0]?.textContent;
    if (marked && marked.bind.labels.includes(chosen)) marked.value = marked.bind.options[marked.bind.labels.indexOf(chosen)];
    figure.view?.finalize();
    options.bind.replaceChildren();
    figure.view = await window.ciphermarkEmbed(canvas, spec, options);
    // A chart that is wider than its box is scrolled by keyboard, too.
    if (canvas.scrollWidth > canvas.clientWidth) canvas.tabIndex = 0;
    else canvas.removeAttribute("tabindex");
    figure.dataset.scheme = dark.matches ? "dark" : "light";
    figure.dataset.drawn = "true";
    figure.dispatchEvent(new CustomEvent("ciphermark:drawn", { bubbles: true }));
  } catch (error) {
    figure.dataset.drawn = "false";
    canvas.textContent = `The chart could not be drawn: ${error.message}`;
  }
}

async function drawAll() {
  for (const figure of figures) await draw(figure);
}

let width = innerWidth;
let timer = null;
function later(pause) {
  if (timer === null) {
    timer = setTimeout(() => {
      timer = null;
      drawAll();
    }, pause);
  }
}

addEventListener("resize", () => {
  if (innerWidth !== width) later(300);
  width = innerWidth;
});
dark.addEventListener("change", drawAll);
// New results arrive many times per second; redrawing a chart as often makes it unreadable.
document.addEventListener("ciphermark:refreshed", () => {
  const now = document.querySelector("[data-part=head] .counts")?.textContent;
  if (document.body.dataset.progress !== undefined && document.body.dataset.progress !== now) later(REDRAW_MS);
  document.body.dataset.progress = now;
});
drawAll();
