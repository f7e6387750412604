// Opens a cell in a dialog, and sets the widths of the bars under shares: the pages allow no inline styles.
(() => {
  function setBars() {
    for (const cell of document.querySelectorAll("[data-share]"))
      cell.style.setProperty("--share", cell.dataset.share);
  }
  setBars();
  document.addEventListener("htmx:load", setBars);
  document.addEventListener("htmx:afterSwap", (event) => {
    const dialog = event.detail.target && event.detail.target.closest("dialog");
    if (dialog && !dialog.open) dialog.showModal();
  });
  document.addEventListener("click", (event) => {
    if (event.target.tagName === "DIALOG") event.target.close(); // a click outside of the content
  });
})();
