// Loads the charts' script when there is a chart: it is large.
(() => {
  const pictures = document.currentScript.dataset.pictures;
  let loaded = false;
  function needed() {
    if (loaded || !document.querySelector("figure.chart[data-spec]")) return;
    loaded = true;
    const script = document.createElement("script");
    script.src = pictures;
    document.head.append(script);
  }
  needed();
  document.addEventListener("htmx:load", needed);
})();

// A page that took a while is opened anew once it is there: it cannot stand inside the one that waits.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, serverResponse } = event.detail;
  if (!target.classList.contains("working") || !/^\s*<!doctype/i.test(serverResponse)) return;
  event.detail.shouldSwap = false;
  location.reload();
});

// Shows how far a job is without a new Cancel button: a press that falls between two would be lost.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, serverResponse } = event.detail;
  if (xhr.status !== 202 || !target.classList.contains("working")) return;
  const made = new DOMParser().parseFromString(serverResponse, "text/html").querySelector(".working");
  if (!made || made.getAttribute("hx-get") !== target.getAttribute("hx-get")) return;
  event.detail.shouldSwap = false;
  for (const part of ["p b", "p .left"]) { // a screen reader says only what is new
    const [was, is] = [target, made].map((one) => one.querySelector(part));
    if (was.textContent !== is.textContent) was.textContent = is.textContent;
  }
  const [bar, now] = [target, made].map((one) => one.querySelector("progress"));
  for (const name of ["value", "max"]) {
    if (now.hasAttribute(name)) bar.setAttribute(name, now.getAttribute(name));
    else bar.removeAttribute(name);
  }
  htmx.trigger(target, "again");
});
