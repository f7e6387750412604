// Draws the charts of a page. Bundled with Vega, and loaded by site.js when a page has charts.
const slurs = document.getElementById("slurs");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

// Texts with slurs come in pairs: masked, and in full.
function chooseSpelling(value, index) {
  return value && Array.isArray(value.$slur) ? value.$slur[index] : value;
}

async function fetchSpec(figure) {
  if (!figure.text) {
    const response = await fetch(figure.dataset.spec, { headers: { Accept: "application/json" } });
    const text = await response.text();
    if (response.status === 202) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      return fetchSpec(figure);
    }
    if (!response.ok) throw new Error(JSON.parse(text).error);
    figure.text = text;
  }
  const index = slurs && slurs.checked ? 1 : 0;
  const spec = JSON.parse(figure.text, (key, value) => chooseSpelling(value, index));
  if (figure.hasAttribute("data-fluid")) spec.width = "container";
  return spec;
}

async function draw(figure) {
  const container = figure.querySelector(".picture");
  const drawing = document.createElement("div");
  drawing.className = "live ahead";
  container.append(drawing); // the picture stays until the drawing is complete
  try {
    // Expressions as syntax trees and no style sheet of Vega's: the security policy of the page
    // allows neither eval nor inline styles.
    const view = await vegaEmbed(drawing, await fetchSpec(figure), {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
      tooltip: { theme: dark.matches ? "dark" : "light", disableDefaultStyle: true },
    });
    // The container describes the chart; Vega's roles on single marks have no names.
    drawing.querySelector("svg")?.setAttribute("aria-hidden", "true");
    if (figure.view) figure.view.finalize();
    figure.view = view;
    drawing.classList.remove("ahead");
    container.replaceChildren(drawing);
    figure.dataset.live = "yes";
  } catch (error) {
    drawing.classList.remove("ahead");
    drawing.textContent = error.message || "The chart cannot be drawn.";
    figure.dataset.live = "no";
  }
}

// Charts are drawn when they scroll into view.
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    observer.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "200px" });

function observeCharts(root) {
  for (const figure of root.querySelectorAll("figure.chart[data-spec]:not([data-seen])")) {
    figure.dataset.seen = "yes";
    observer.observe(figure);
  }
}

observeCharts(document);
document.addEventListener("htmx:load", (event) => observeCharts(event.detail.elt.parentNode || document));
if (slurs) {
  slurs.addEventListener("change", () => {
    for (const figure of document.querySelectorAll("figure.chart[data-live]"))
      if (figure.text && figure.text.includes('{"$slur":[')) draw(figure);
  });
}
