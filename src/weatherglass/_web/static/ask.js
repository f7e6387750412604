// The workbench: every change of the four sets asks the new question at once. The server renders,
// this module replaces parts of the page, keeps the address and draws the earlier state as a ghost.
// Without it, chips are links and the form has a button.

const HEADERS = { "HX-Request": "true", Accept: "text/html" };
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
let sequence = 0; // of the latest question: answers to earlier ones are dropped
let controller = new AbortController();

const bench = () => document.getElementById("bench");
const form = () => document.getElementById("ask");

// Words as the address spells them: quoted if they contain spaces, with ~ if they are muted.
function format(word, muted) {
  const text = /[\s,;]|^[@~“„«]/.test(word) ? `"${word}"` : word;
  return muted ? `~${text}` : text;
}

function readSet(set) {
  return [...set.querySelectorAll(".chip")].map((chip) => ({
    word: chip.dataset.word, muted: chip.hasAttribute("data-muted"),
  }));
}

function writeSet(set, words) {
  const side = set.dataset.side;
  set.querySelector(`#text-${side}`).value = words.map(({ word, muted }) => format(word, muted)).join(", ");
  keepName(set);
}

// A published set keeps its name while its words are edited.
function keepName(set) {
  const name = set.querySelector(".set-name");
  if (!name.value && set.dataset.label) name.value = set.dataset.label;
}

function addTyped(box) {
  keepName(box.closest(".set"));
  ask(formQuery());
}

function formQuery() {
  const query = new URLSearchParams();
  for (const [key, value] of new FormData(form())) {
    if (value && !key.startsWith("find_")) query.append(key, value);
  }
  return query.toString();
}

// Asks a question and replaces the workbench by its answer.
async function ask(query, { push = true } = {}) {
  const mine = ++sequence;
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  const sent = new Map(textFields().map((field) => [field.id, field.value]));
  bench().setAttribute("aria-busy", "true");
  try {
    let address = `/ask/edit?${query}`;
    for (;;) {
      const response = await fetch(address, { headers: HEADERS, signal });
      const text = await response.text();
      if (mine !== sequence) return;
      const fresh = new DOMParser().parseFromString(text, "text/html");
      if (response.status === 202) {
        address = fresh.querySelector(".working")?.getAttribute("hx-get") || address;
        await new Promise((resolve) => setTimeout(resolve, 300));
        if (mine !== sequence) return;
        continue;
      }
      const next = fresh.getElementById("bench");
      if (next) replaceBench(next, push, sent);
      else showProblem(fresh.querySelector(".problem"));
      return;
    }
  } catch (error) {
    if (error.name !== "AbortError") showProblem(null);
  } finally {
    if (mine === sequence) bench().removeAttribute("aria-busy");
  }
}

function showProblem(problem) {
  const answer = document.getElementById("answer");
  const box = problem || Object.assign(document.createElement("div"), {
    className: "problem", textContent: "The server does not answer. Is it still running?",
  });
  box.setAttribute("role", "alert");
  answer.prepend(box);
}

let isReplacing = false; // a field that is removed reports a change

function textFields() {
  return form() ? [...form().querySelectorAll("input[type=text], textarea")] : [];
}

// What the reader has typed since the question was sent stays in its field.
function keepTyped(next, sent) {
  for (const field of textFields()) {
    const before = sent.get(field.id) || "";
    const fresh = next.querySelector(`#${field.id}`);
    if (!fresh || field.value === before) continue;
    fresh.value = field.matches(".add") && field.value.startsWith(before) ? field.value.slice(before.length) : field.value;
  }
}

function replaceBench(next, push, sent) {
  const old = bench();
  keepTyped(next, sent);
  const focus = rememberFocus();
  const earlier = rememberMarks(old);
  const open = [...old.querySelectorAll("details[open]")].map(nameDetails).filter(Boolean);
  isReplacing = true;
  old.replaceWith(next);
  isReplacing = false;
  for (const details of next.querySelectorAll("details")) {
    if (open.includes(nameDetails(details))) details.open = true;
  }
  if (push) {
    const address = next.dataset.query ? `/?${next.dataset.query}` : location.pathname + location.search;
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
  }
  document.title = `${next.dataset.title} · Weatherglass`;
  restoreFocus(focus);
  drawGhosts(next, earlier);
  showSlurs();
  if (window.htmx) window.htmx.process(next);
  loadParts(next);
}

function nameDetails(details) {
  const set = details.closest(".set");
  return details.className ? `${details.className} ${set ? set.id : ""}` : "";
}

function rememberFocus() {
  const active = document.activeElement;
  if (!active || !bench().contains(active)) return null;
  if (active.classList.contains("chip")) {
    const set = active.closest(".set");
    return { set: set.id, word: active.dataset.word, index: [...set.querySelectorAll(".chip")].indexOf(active) };
  }
  if (!active.id) return null;
  return { id: active.id };
}

function restoreFocus(focus) {
  if (!focus) return;
  if (focus.set) {
    const chips = [...document.querySelectorAll(`#${focus.set} .chip`)];
    const same = chips.find((chip) => chip.dataset.word === focus.word);
    const set = document.getElementById(focus.set);
    (same || chips[Math.min(focus.index, chips.length - 1)] || set.querySelector(".add")).focus({ preventScroll: true });
    return;
  }
  const element = document.getElementById(focus.id);
  if (!element) return;
  element.focus({ preventScroll: true });
  if (element.matches("textarea, input[type=text]")) element.setSelectionRange(element.value.length, element.value.length);
}

// The earlier state: strokes stay as pale marks, and the new ones move from where they were.

function rememberMarks(root) {
  const marks = new Map();
  const svg = root.querySelector(".strip svg.wide");
  for (const mark of svg ? svg.querySelectorAll("g.mark") : []) {
    const group = [...mark.classList].find((name) => name.startsWith("g-"));
    marks.set(`${mark.dataset.side} ${mark.dataset.word}`, { at: Number(mark.dataset.at), side: mark.dataset.side, group });
  }
  return marks;
}

function drawGhosts(root, earlier) {
  if (!earlier.size) return;
  const strip = root.querySelector(".strip");
  for (const svg of strip ? strip.querySelectorAll("svg") : []) {
    const { low, high, left, right } = Object.fromEntries(Object.entries(svg.dataset).map(([k, v]) => [k, Number(v)]));
    const place = (value) => left + ((value - low) / (high - low || 1)) * (right - left);
    const line = Number(svg.querySelector(".axis").getAttribute("y1"));
    const ghosts = svg.querySelector(".ghosts");
    for (const { at, side, group } of earlier.values()) {
      const x = place(at);
      if (x < 0 || x > svg.viewBox.baseVal.width) continue;
      const ghost = document.createElementNS("http://www.w3.org/2000/svg", "line");
      ghost.setAttribute("class", `ghost ${group}`);
      for (const [name, value] of [["x1", x], ["x2", x], ["y1", line], ["y2", line + (side === "X" ? -20 : 20)]]) {
        ghost.setAttribute(name, value.toFixed(1));
      }
      ghosts.append(ghost);
    }
    if (still.matches) continue;
    for (const mark of svg.querySelectorAll("g.mark")) {
      const before = earlier.get(`${mark.dataset.side} ${mark.dataset.word}`);
      const moved = before ? place(before.at) - place(Number(mark.dataset.at)) : 0;
      const from = before ? { transform: `translateX(${moved}px)` } : { opacity: 0 };
      if (!before || Math.abs(moved) > 0.5) {
        mark.animate([from, before ? { transform: "none" } : { opacity: 1 }], { duration: 260, easing: "ease-out" });
      }
    }
  }
}

// Evidence that takes longer: it arrives in a second answer, which fills its places.

async function loadParts(root) {
  const mine = sequence;
  for (const link of root.querySelectorAll("[data-part]")) {
    link.hidden = true;
    let fresh = null;
    try {
      fresh = await fetchPart(link.dataset.part, () => mine === sequence);
    } catch {
      // A later question, another page, or a server that was stopped.
    }
    if (mine !== sequence) return;
    if (!fresh) { // the server is busy: the link stays
      link.hidden = false;
      for (const note of root.querySelectorAll(".checking")) note.remove();
      continue;
    }
    for (const part of fresh.querySelectorAll("[data-into]")) {
      const place = document.getElementById(part.dataset.into);
      if (!place) continue;
      place.replaceChildren(...part.childNodes);
      if (window.htmx) window.htmx.process(place);
    }
    link.remove();
  }
  showSlurs();
}

// Returns a part of a page once its job has ended; null if there is none.
async function fetchPart(address, isWanted) {
  const { signal } = controller;
  while (isWanted()) {
    const response = await fetch(address, { headers: HEADERS, signal });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.status !== 202) return response.ok ? fresh : null;
    address = fresh.querySelector(".working")?.getAttribute("hx-get") || address;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  return null;
}

// Edits

function edit(...changes) {
  for (const [set, words] of changes) writeSet(set, words);
  ask(formQuery());
}

function toggle(chip) {
  const set = chip.closest(".set");
  edit([set, readSet(set).map((entry) => (entry.word === chip.dataset.word ? { ...entry, muted: !entry.muted } : entry))]);
}

function remove(chip) {
  const set = chip.closest(".set");
  edit([set, readSet(set).filter(({ word }) => word !== chip.dataset.word)]);
}

function move(chip, target) {
  const set = chip.closest(".set");
  if (!target || target === set) return;
  const entry = { word: chip.dataset.word, muted: false };
  const others = readSet(target).filter(({ word }) => word !== entry.word);
  edit([set, readSet(set).filter(({ word }) => word !== entry.word)], [target, [...others, entry]]);
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  const chip = event.target.closest?.("#ask .chip");
  if (chip) {
    event.preventDefault();
    if (!wasDragged) toggle(chip);
    wasDragged = false;
    return;
  }
  const link = event.target.closest?.("#bench a[data-edit]");
  if (link) {
    event.preventDefault();
    const query = new URL(link.href).search.slice(1);
    ask(query);
    if (!new URLSearchParams(query).get("x")) history.pushState(null, "", link.href); // nothing to ask yet
  }
});

document.addEventListener("keydown", (event) => {
  const chip = event.target.closest?.("#ask .chip");
  if (chip) {
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      remove(chip);
    } else if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const sets = [...document.querySelectorAll(".set")];
      const at = sets.indexOf(chip.closest(".set")) + (event.key === "ArrowDown" ? 1 : -1);
      move(chip, sets[(at + sets.length) % sets.length]);
    } else if (event.key === " ") {
      event.preventDefault();
      toggle(chip);
    }
    return;
  }
  if (event.target.matches?.("#ask .add")) {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (event.target.value.trim()) addTyped(event.target);
    } else if (event.key === "Backspace" && !event.target.value) {
      const last = [...event.target.closest(".set").querySelectorAll(".chip")].at(-1);
      if (last) remove(last);
    }
  } else if (event.target.matches?.("#ask .set-name") && event.key === "Enter") {
    event.preventDefault();
    ask(formQuery());
  }
});

// A word is complete with its comma; a paste is complete at once.
document.addEventListener("input", (event) => {
  const box = event.target;
  if (box.matches?.("#ask .add") && (event.inputType === "insertFromPaste" || /[,;]\s*$/.test(box.value))) {
    if (box.value.replace(/[,;\s]/g, "")) addTyped(box);
  } else if (box.id === "drop") {
    box.nextElementSibling.value = box.value;
    window.clearTimeout(box.timer);
    box.timer = window.setTimeout(() => ask(formQuery()), 60);
  }
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (isReplacing) return;
  if (field.closest?.("#ask") && field.matches("select, [name=source], .set-name, .as-text textarea, .add")) {
    if (!field.matches(".add")) ask(formQuery());
    else if (field.value.trim()) addTyped(field);
  }
});

document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  ask(formQuery());
});

window.addEventListener("popstate", () => {
  const query = location.search.slice(1);
  if (form() && /(^|&)(test|x)=/.test(query)) ask(query, { push: false });
  else location.reload();
});

// Dragging a chip to another set, with a mouse, a pen or a finger that rests for a moment.

let wasDragged = false;
let drag = null;
const THRESHOLD = 6;
const HOLD_MS = 220;

document.addEventListener("pointerdown", (event) => {
  const chip = event.target.closest?.("#ask .chip");
  if (!chip || event.button) return;
  wasDragged = false;
  drag = { chip, x: event.clientX, y: event.clientY, id: event.pointerId, copy: null, ready: event.pointerType !== "touch" };
  if (!drag.ready) drag.timer = window.setTimeout(() => { if (drag) { drag.ready = true; lift(drag.x, drag.y); } }, HOLD_MS);
});

function lift(x, y) {
  drag.copy = drag.chip.cloneNode(true);
  drag.copy.classList.add("lifted");
  drag.copy.removeAttribute("href");
  drag.copy.classList.add([...drag.chip.closest(".set").classList].find((name) => name.startsWith("g-")));
  document.body.append(drag.copy);
  drag.chip.classList.add("leaving");
  document.documentElement.classList.add("dragging");
  wasDragged = true;
  carry(x, y);
}

function carry(x, y) {
  drag.copy.style.transform = `translate(${x - 20}px, ${y - 18}px)`;
  const target = document.elementFromPoint(x, y)?.closest(".set");
  for (const set of document.querySelectorAll(".set")) set.classList.toggle("target", set === target && set !== drag.chip.closest(".set"));
  drag.target = target;
}

document.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.id) return;
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > THRESHOLD;
  if (!drag.ready) {
    if (far) drop(false); // the finger scrolls
    return;
  }
  if (!drag.copy && far) lift(event.clientX, event.clientY);
  if (drag.copy) carry(event.clientX, event.clientY);
});

// While a chip is carried by a finger, the page must not scroll.
document.addEventListener("touchmove", (event) => { if (drag?.copy) event.preventDefault(); }, { passive: false });
document.addEventListener("contextmenu", (event) => { if (drag?.copy) event.preventDefault(); });

function drop(isDone) {
  if (!drag) return;
  window.clearTimeout(drag.timer);
  const { chip, copy, target } = drag;
  drag = null;
  copy?.remove();
  chip.classList.remove("leaving");
  document.documentElement.classList.remove("dragging");
  for (const set of document.querySelectorAll(".set.target")) set.classList.remove("target");
  if (isDone && copy) move(chip, target);
}

document.addEventListener("pointerup", (event) => { if (drag && event.pointerId === drag.id) drop(true); });
document.addEventListener("pointercancel", () => drop(false));

// A chip, its stroke and its influence are one word: pointing at one shows the others.

function link(event) {
  const one = event.target.closest?.("[data-word][data-side]");
  const root = bench();
  if (!root) return;
  for (const element of root.querySelectorAll(".linked")) element.classList.remove("linked");
  root.classList.toggle("linking", Boolean(one));
  if (!one) return;
  const word = one.dataset.word.toLowerCase();
  for (const element of root.querySelectorAll(`[data-side="${one.dataset.side}"]`)) {
    if (element.dataset.word?.toLowerCase() === word) element.classList.add("linked");
  }
}

document.addEventListener("pointerover", link);
document.addEventListener("focusin", link);

// Slurs in strips: text of a picture cannot be switched by the style sheet.
function showSlurs() {
  const isOn = document.getElementById("slurs").checked;
  for (const text of document.querySelectorAll(".strip text[data-slur]")) {
    text.dataset.mask ??= text.textContent;
    text.textContent = isOn ? text.dataset.slur : text.dataset.mask;
  }
}
document.getElementById("slurs").addEventListener("change", showSlurs);

showSlurs();
if (bench()) loadParts(bench());
