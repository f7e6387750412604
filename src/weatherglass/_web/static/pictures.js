// Bundled with Vega, and loaded by site.js when a page has charts.
const slurs = document.getElementById("slurs");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function chosen(value, shown) {
  return value && Array.isArray(value.$slur) ? value.$slur[shown] : value;
}

async function described(figure) {
  if (!figure.text) {
    const answer = await fetch(figure.dataset.spec, { headers: { Accept: "application/json" } });
    const text = await answer.text();
    if (answer.status === 202) {
      await new Promise((go) => setTimeout(go, 700));
      return described(figure);
    }
    if (!answer.ok) throw new Error(JSON.parse(text).error);
    figure.text = text;
  }
  const shown = slurs && slurs.checked ? 1 : 0;
  const spec = JSON.parse(figure.text, (key, value) => chosen(value, shown));
  if (figure.hasAttribute("data-fluid")) spec.width = "container";
  return spec;
}

async function draw(figure) {
  const room = figure.querySelector(".picture");
  const live = document.createElement("div");
  live.className = "live";
  room.replaceChildren(live);
  try {
    // A syntax tree for expressions, and no style sheet of its own: the page allows neither eval
    // nor styles that are not ours.
    const drawn = await vegaEmbed(live, await described(figure), {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
      tooltip: { theme: dark.matches ? "dark" : "light", disableDefaultStyle: true },
    });
    if (figure.drawn) figure.drawn.finalize();
    figure.drawn = drawn;
    figure.dataset.live = "yes";
  } catch (error) {
    live.textContent = error.message || "The picture cannot be drawn.";
    figure.dataset.live = "no";
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "200px" });

function look(inside) {
  for (const figure of inside.querySelectorAll("figure.chart[data-spec]:not([data-seen])")) {
    figure.dataset.seen = "yes";
    seen.observe(figure);
  }
}

look(document);
document.addEventListener("htmx:load", (event) => look(event.detail.elt.parentNode || document));
if (slurs) {
  slurs.addEventListener("change", () => {
    for (const figure of document.querySelectorAll("figure.chart[data-live]"))
      if (figure.text && figure.text.includes('{"$slur":[')) draw(figure);
  });
}
