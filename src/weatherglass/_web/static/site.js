// Loads the script for charts only when a page has one: it is large.
(() => {
  const chartScript = document.currentScript.dataset.charts;
  let loaded = false;
  function loadCharts() {
    if (loaded || !document.querySelector("figure.chart[data-spec]")) return;
    loaded = true;
    const script = document.createElement("script");
    script.src = chartScript;
    document.head.append(script);
  }
  loadCharts();
  document.addEventListener("htmx:load", loadCharts);
})();

// When a whole page was computed, reload: it cannot be swapped into the page that waits for it.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, serverResponse, requestConfig } = event.detail;
  if (!target.classList.contains("working") || xhr.status === 202) return;
  const isPage = /^\s*<!doctype/i.test(serverResponse);
  // A reload after an error or a cancellation would start the job again.
  const isAnswer = xhr.status === 200 && requestConfig.verb === "get" && !/^\s*<div class="problem"/.test(serverResponse);
  if (!isPage && !(isAnswer && target.hasAttribute("data-reload"))) return;
  event.detail.shouldSwap = false;
  location.reload();
});

// Updates the progress of a job but keeps the Cancel button: a click while it is replaced would be lost.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, serverResponse } = event.detail;
  if (xhr.status !== 202 || !target.classList.contains("working")) return;
  const fresh = new DOMParser().parseFromString(serverResponse, "text/html").querySelector(".working");
  if (fresh && fresh.getAttribute("hx-get") !== target.getAttribute("hx-get")) {
    // Another job of the same question: the heading and the way it ends stay.
    if (target.hasAttribute("data-reload")) fresh.setAttribute("data-reload", "");
    const heading = target.querySelector("h1");
    if (heading && !fresh.querySelector("h1")) fresh.prepend(heading.cloneNode(true));
    event.detail.serverResponse = fresh.outerHTML;
    return;
  }
  if (!fresh) return;
  event.detail.shouldSwap = false;
  for (const part of ["p b", "p .left"]) { // a screen reader announces every change
    const [current, next] = [target, fresh].map((element) => element.querySelector(part));
    if (current.textContent !== next.textContent) current.textContent = next.textContent;
  }
  const [bar, next] = [target, fresh].map((element) => element.querySelector("progress"));
  for (const name of ["value", "max"]) {
    if (next.hasAttribute(name)) bar.setAttribute(name, next.getAttribute(name));
    else bar.removeAttribute(name);
  }
  htmx.trigger(target, "again");
});

// The slur setting lasts until the browser is closed, on all pages.
document.getElementById("slurs").addEventListener("change", (event) => {
  document.cookie = `weatherglass-slurs=${event.target.checked ? "yes" : "no"}; path=/; SameSite=Lax`;
});

// A menu closes when the reader goes elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
