// Draws the charts of a page. A still picture of each is there already.
const slurs = document.getElementById("slurs");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function unpacked(value, shown) {
  if (value && Array.isArray(value.$slur)) return value.$slur[shown];
  if (!value || !Array.isArray(value.$rows)) return value;
  const [heads, ...rows] = value.$rows;
  return rows.map((row) => Object.fromEntries(row.map((one, at) => [heads[at], one])));
}

function description(figure) {
  const shown = slurs && slurs.checked ? 1 : 0;
  const text = figure.querySelector("script").textContent;
  const spec = JSON.parse(text, (key, value) => unpacked(value, shown));
  if (figure.hasAttribute("data-fluid")) spec.width = "container";
  const room = figure.querySelector(".picture").clientWidth;
  return figure.id.startsWith("choices-") && room < 600 ? narrow(spec, room) : spec;
}

// On a phone there is no room for the names of sets: the curve alone, without the rows below it.
// A table under the picture has what the rows say, and the text above it what the title says.
function narrow(spec, room) {
  const curve = spec.vconcat[0].vconcat[0];
  curve.width = room - 60;
  for (const layer of curve.layer) {
    const colour = layer.encoding && layer.encoding.color;
    if (colour && colour.legend) colour.legend = { ...colour.legend, orient: "bottom", direction: "horizontal" };
  }
  return { ...spec, vconcat: [{ ...spec.vconcat[0], vconcat: [curve], title: undefined }] };
}

async function draw(figure) {
  const room = figure.querySelector(".picture");
  const live = document.createElement("div");
  live.className = "live";
  room.append(live);
  try {
    // With a syntax tree for expressions the page needs no right to evaluate text.
    const drawn = await vegaEmbed(live, description(figure), {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true,
      tooltip: { theme: dark.matches ? "dark" : "light" },
    });
    if (figure.drawn) figure.drawn.finalize();
    figure.drawn = drawn;
    room.replaceChildren(live);
    figure.dataset.live = "yes";
  } catch (error) {
    live.remove(); // the still picture stays
    console.error(error);
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "200px" });

const charts = document.querySelectorAll("figure.chart");
for (const figure of charts) seen.observe(figure);
if (slurs) {
  const again = () => {
    for (const figure of charts)
      if (figure.querySelector("script").textContent.includes('{"$slur":[')) draw(figure);
  };
  slurs.addEventListener("change", again);
  if (slurs.checked) again();
}
