// The script of a task page: order by worker, progress, drafts, completion code, saving.
// crowd/order.py has the same hash, order and code in Python.
(() => {
  "use strict";
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const $ = (id) => document.getElementById(id);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const encoder = new TextEncoder();
  let worker = "", started = null, startTime = 0, record = null;

  function hash(text, start = 0) {
    let number = (0x811c9dc5 ^ start) >>> 0;
    for (const byte of encoder.encode(text)) number = Math.imul(number ^ byte, 0x01000193) >>> 0;
    number = Math.imul(number ^ (number >>> 16), 0x85ebca6b) >>> 0;
    number = Math.imul(number ^ (number >>> 13), 0xc2b2ae35) >>> 0;
    return (number ^ (number >>> 16)) >>> 0;
  }

  function sortByHash(elements, id) {
    const place = (element) => hash(`${settings.seed}|${worker}|${settings.task}|${id(element)}`);
    return [...elements].sort((a, b) => place(a) - place(b) || (id(a) < id(b) ? -1 : 1));
  }

  const letter = (k) => (k < 26 ? letters[k] : letters[Math.floor(k / 26) - 1] + letters[k % 26]);

  function arrange() {
    const list = $("items");
    sortByHash(list.children, (li) => li.dataset.item).forEach((li) => list.append(li));
    const cards = $("cards");
    if (!cards) return;
    const sorted = sortByHash(cards.children, (li) => li.dataset.option);
    sorted.forEach((li, k) => { li.querySelector(".letter").textContent = letter(k); cards.append(li); });
    const order = new Map(sorted.map((li, k) => [li.dataset.option, k]));
    for (const select of document.querySelectorAll("select")) {
      const options = [...select.options].slice(1).sort((a, b) => order.get(a.value) - order.get(b.value));
      for (const option of options) {
        option.textContent = `${letter(order.get(option.value))}: ${option.dataset.names}`;
        select.append(option);
      }
    }
  }

  function readAnswers() {
    const answers = {};
    for (const li of $("items").children) {
      const id = li.dataset.item;
      const field = settings.kind === "rate" ? li.querySelector("input:checked") : li.querySelector("select");
      if (field && field.value) answers[id] = field.value;
    }
    return answers;
  }

  const draftKey = () => `weatherglass|${settings.study}|${settings.task}|${worker}`;

  function keepDraft(answers) {
    try { localStorage.setItem(draftKey(), JSON.stringify(answers)); } catch { /* not allowed */ }
  }

  // Once the answers are safe: until then a page that is loaded again must not lose them.
  function dropDraft() {
    try { localStorage.removeItem(draftKey()); } catch { /* not allowed */ }
  }

  function restoreDraft() {
    let answers = {};
    try { answers = JSON.parse(localStorage.getItem(draftKey()) || "{}"); } catch { /* not allowed */ }
    for (const li of $("items").children) {
      const value = answers[li.dataset.item];
      if (typeof value !== "string") continue;
      const select = li.querySelector("select");
      if (select) select.value = value;
      else for (const input of li.querySelectorAll("input")) input.checked = input.value === value;
    }
  }

  function show(answers) {
    const total = $("items").children.length, done = Object.keys(answers).length;
    $("progress").value = done;
    $("count").textContent = `${done} of ${total} answered`;
    for (const li of $("items").children) {
      li.classList.toggle("done", li.dataset.item in answers);
      if (li.dataset.item in answers) li.classList.remove("missing");
    }
  }

  // In a one-to-one task a group moves to the item that it was chosen for last.
  function moveGroup(select) {
    if (!settings.oneToOne || settings.kind !== "match" || !select.value) return;
    if (select.closest("li").dataset.check) return;
    for (const other of document.querySelectorAll("select")) {
      if (other !== select && other.value === select.value && !other.closest("li").dataset.check) {
        other.value = "";
        $("task-error").textContent = "This group was chosen for another row, which is open again: each group can be used once.";
      }
    }
  }

  function start(event) {
    event.preventDefault();
    worker = $("worker").value.trim();
    const problem = !worker ? "Please enter your participant id." : !$("agree").checked ? "Please tick the box if you want to take part." : "";
    $("start-error").textContent = problem;
    if (problem) { (worker ? $("agree") : $("worker")).focus(); return; }
    arrange();
    restoreDraft();
    started = new Date().toISOString();
    startTime = performance.now();
    $("start").hidden = true;
    $("task").hidden = false;
    show(readAnswers());
    $("task-heading").focus();
    window.scrollTo(0, 0);
  }

  function code(answers) {
    const listed = Object.keys(answers).sort().map((id) => `${id}=${answers[id]}`).join("&");
    const text = `${settings.study}|${settings.task}|${worker}|${listed}`;
    const hex = (number) => number.toString(16).toUpperCase().padStart(8, "0");
    return (hex(hash(text)) + hex(hash(text, 0x5bd1e995))).slice(0, 12).match(/.{4}/g).join("-");
  }

  async function finish(event) {
    event.preventDefault();
    const answers = readAnswers();
    const open = [...$("items").children].filter((li) => !(li.dataset.item in answers));
    open.forEach((li) => li.classList.add("missing"));
    if (open.length) {
      $("task-error").textContent = open.length === 1 ? "One row has no answer yet." : `${open.length} rows have no answer yet.`;
      open[0].querySelector("select, input").focus();
      return;
    }
    const seconds = Math.round((performance.now() - startTime) / 100) / 10;
    record = { study: settings.study, task: settings.task, worker, answers, seconds, started, code: code(answers) };
    $("copy").value = JSON.stringify(record);
    $("code").textContent = record.code;
    const button = event.submitter || $("answers").querySelector("button");
    button.disabled = true;
    let kept = true;
    if (settings.send) {
      try { await send(); } catch (error) {
        kept = false;
        $("end-state").textContent = `Your answers could not be sent (${error.message}). Please save them and tell us.`;
      }
    }
    button.disabled = false;
    if (settings.send && kept) dropDraft();
    $("task").hidden = true;
    $("end").hidden = false;
    $("end-heading").focus();
    window.scrollTo(0, 0);
  }

  async function send() {
    const response = await fetch(settings.send, {
      method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(record),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error || response.status);
    $("end-state").textContent = answer.message;
    $("save").hidden = true;
    if (answer.next) { $("next-link").href = answer.next; $("next").hidden = false; }
  }

  function download() {
    const name = `${settings.task}-${worker.replace(/[^\w.-]+/g, "_")}.json`;
    const url = URL.createObjectURL(new Blob([JSON.stringify(record) + "\n"], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    $("end-state").textContent = `Saved as ${name}.`;
    dropDraft();
  }

  // Platforms hand over the id in the address.
  const parameters = new URLSearchParams(location.search);
  $("worker").value = ["worker", "PROLIFIC_PID", "workerId"].map((name) => parameters.get(name)).find(Boolean) || "";
  $("consent").addEventListener("submit", start);
  $("answers").addEventListener("submit", finish);
  $("answers").addEventListener("change", (event) => {
    $("task-error").textContent = "";
    if (event.target.tagName === "SELECT") moveGroup(event.target);
    const answers = readAnswers();
    keepDraft(answers);
    show(answers);
  });
  $("download").addEventListener("click", download);
  $("start").hidden = false;
})();
