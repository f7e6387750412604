// Opens a cell in a dialog, and draws the bars under shares, which are styles.
(() => {
  function bars() {
    for (const one of document.querySelectorAll("[data-share]"))
      one.style.setProperty("--share", one.dataset.share);
  }
  bars();
  document.addEventListener("htmx:load", bars);
  document.addEventListener("htmx:afterSwap", (event) => {
    const dialog = event.detail.target && event.detail.target.closest("dialog");
    if (dialog && !dialog.open) dialog.showModal();
  });
  document.addEventListener("click", (event) => {
    if (event.target.tagName === "DIALOG") event.target.close(); // beside what it shows
  });
})();
