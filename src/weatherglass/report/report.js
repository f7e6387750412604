// Reports: save figures and copy links to them, show slurs in charts, open folds for print.
const root = document.documentElement;
root.classList.add("js");

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "font-family", "font-size", "font-weight", "text-anchor"];

// The drawing that is visible: figures are drawn narrow and wide.
const drawings = (figure) => [...figure.querySelectorAll(".picture svg")].filter((svg) => svg.clientWidth > 0);

function copyStyles(from, to) {
  const style = getComputedStyle(from);
  for (const name of STYLES) to.setAttribute(name, style.getPropertyValue(name));
  for (let k = 0; k < from.children.length; k += 1) copyStyles(from.children[k], to.children[k]);
}

function textElement(text, x, y, attributes) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "text");
  const all = { x, y, "font-family": "Arial, sans-serif", ...attributes };
  for (const [name, value] of Object.entries(all)) line.setAttribute(name, value);
  line.textContent = text;
  return line;
}

// A figure as one SVG that can stand alone: title, drawings below each other, source.
function standalone(figure) {
  const shown = drawings(figure);
  const isPaper = shown.every((svg) => svg.hasAttribute("width"));
  const style = getComputedStyle(document.body);
  const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const width = Math.max(...shown.map((svg) => svg.viewBox.baseVal.width || svg.clientWidth)) + 32;
  let y = 44;
  for (const svg of shown) {
    const copy = svg.cloneNode(true);
    if (!isPaper) copyStyles(svg, copy);
    const box = svg.viewBox.baseVal;
    const size = [box.width || svg.clientWidth, box.height || svg.clientHeight];
    const place = { x: 16, y, width: size[0], height: size[1] };
    for (const [name, value] of Object.entries(place)) copy.setAttribute(name, value);
    whole.append(copy);
    y += size[1] + 8;
  }
  const ink = isPaper ? "#17262c" : style.color;
  const title = textElement(figure.querySelector("figcaption").textContent, 16, 28, { "font-size": 16, "font-weight": 700, fill: ink });
  const source = textElement(figure.querySelector(".origin small").textContent, 16, y + 12, { "font-size": 11, fill: ink });
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const paint = { width: "100%", height: "100%", fill: isPaper ? "#fff" : style.backgroundColor };
  for (const [name, value] of Object.entries(paint)) ground.setAttribute(name, value);
  whole.prepend(ground, title);
  whole.append(source);
  const height = y + 24;
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) whole.setAttribute(name, value);
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function savePng(figure) {
  const { text, width, height } = standalone(figure);
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${figure.id}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

// A cell that begins like a formula gets an apostrophe, so that a spreadsheet shows it as text.
function csvCell(cell) {
  const text = [...cell.childNodes].map((node) => node.textContent.trim()).filter(Boolean).join(" · ");
  const safe = /^[=+@\t\r]|^-[^\d]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function saveTable(figure, id) {
  const rows = [...document.querySelectorAll(`#${CSS.escape(id)} tr`)];
  const lines = rows.map((row) => [...row.cells].map(csvCell).join(","));
  save(new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" }), `${figure.id}.csv`);
}

async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link.href);
    link.textContent = "Copied";
    setTimeout(() => { link.textContent = "Link"; }, 2000);
  } catch {
    location.hash = link.hash; // the address bar has the link
  }
}

document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-export]");
  if (!control) return;
  const figure = control.closest("figure");
  const kind = control.dataset.export;
  if (kind === "png") savePng(figure);
  if (kind === "svg") save(new Blob([standalone(figure).text], { type: "image/svg+xml" }), `${figure.id}.svg`);
  if (kind === "csv") saveTable(figure, control.dataset.table);
  if (kind === "link") { event.preventDefault(); copyLink(control); }
});

// Slurs in drawings: the word is in an attribute, as everywhere on the page.
const slurs = document.getElementById("slurs");
if (slurs) {
  const masked = new Map([...document.querySelectorAll("[data-slur]")].map((text) => [text, text.textContent]));
  const show = () => {
    for (const [text, mask] of masked) text.textContent = slurs.checked ? text.dataset.slur : mask;
  };
  slurs.addEventListener("change", show);
  show();
}

// Paper has no folds: those that a reader of a printed report needs are open on it.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details[data-print]:not([open])")];
  for (const fold of opened) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
});

// The contents mark the section that is being read.
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "-10% 0px -80%" });
for (const part of document.querySelectorAll("main > section")) observer.observe(part);
