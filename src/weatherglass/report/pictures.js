// Draws the charts of a page. A static picture of each is on the page already.
const slurs = document.getElementById("slurs");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

// Tables are written as column names and rows, and text with a slur as a pair: masked and plain.
function unpack(value, index) {
  if (value && Array.isArray(value.$slur)) return value.$slur[index];
  if (!value || !Array.isArray(value.$rows)) return value;
  const [columns, ...rows] = value.$rows;
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns[at], cell])));
}

function readSpec(figure) {
  const index = slurs && slurs.checked ? 1 : 0;
  const text = figure.querySelector("script").textContent;
  const spec = JSON.parse(text, (key, value) => unpack(value, index));
  if (figure.hasAttribute("data-fluid")) spec.width = "container";
  const width = figure.querySelector(".picture").clientWidth;
  return figure.id.startsWith("choices-") && width < 600 ? narrowSpec(spec, width) : spec;
}

// A phone has no room for the names of sets: draw the curve alone, without the rows below it. The
// table under the chart has the content of the rows, and the text above it that of the title.
function narrowSpec(spec, width) {
  const curve = spec.vconcat[0].vconcat[0];
  curve.width = width - 60;
  for (const layer of curve.layer) {
    const colour = layer.encoding && layer.encoding.color;
    if (colour && colour.legend) colour.legend = { ...colour.legend, orient: "bottom", direction: "horizontal" };
  }
  return { ...spec, vconcat: [{ ...spec.vconcat[0], vconcat: [curve], title: undefined }] };
}

async function draw(figure) {
  const picture = figure.querySelector(".picture");
  const live = document.createElement("div");
  live.className = "live";
  picture.append(live);
  try {
    // `ast` interprets expressions, so that the page needs no permission to evaluate code.
    const view = await vegaEmbed(live, readSpec(figure), {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true,
      tooltip: { theme: dark.matches ? "dark" : "light" },
    });
    if (figure.view) figure.view.finalize();
    figure.view = view;
    picture.replaceChildren(live);
    figure.dataset.live = "yes";
  } catch (error) {
    live.remove(); // the static picture stays
    console.error(error);
  }
}

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    observer.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "200px" });

const charts = document.querySelectorAll("figure.chart");
for (const figure of charts) observer.observe(figure);
if (slurs) {
  const redraw = () => {
    for (const figure of charts)
      if (figure.querySelector("script").textContent.includes('{"$slur":[')) draw(figure);
  };
  slurs.addEventListener("change", redraw);
  if (slurs.checked) redraw();
}
