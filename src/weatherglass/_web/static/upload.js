// Sends a file as it is, shows how far it is, and lets it be stopped.
(() => {
  const form = document.getElementById("upload");
  const [go, stop] = form.querySelectorAll("button");
  const sending = document.getElementById("sending");
  const bar = document.getElementById("sent");
  const told = document.getElementById("told");
  let request = null;

  function size(bytes) {
    const step = bytes >= 1e9 ? [1e9, "GB"] : bytes >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
    return `${(bytes / step[0]).toFixed(1)} ${step[1]}`;
  }

  function ended(text, focus) {
    request = null;
    go.disabled = false;
    stop.hidden = true;
    bar.hidden = true;
    told.textContent = text;
    if (focus) go.focus();
  }

  function received(text) {
    const made = JSON.parse(text);
    const part = document.createElement("div");
    part.className = "uploaded";
    document.getElementById("files").prepend(part);
    htmx.ajax("GET", `/upload/file?id=${encodeURIComponent(made.id)}`, { target: part, swap: "outerHTML" });
    form.elements.file.value = "";
    ended(`${made.name} was sent.`);
  }

  function answered() {
    if (request.status === 201) return received(request.responseText);
    let why = "The file could not be sent.";
    try {
      why = JSON.parse(request.responseText).error;
    } catch (error) {
      // the server ended in the middle, and said nothing
    }
    ended(why);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const file = form.elements.file.files[0];
    if (!file || request) return;
    const start = performance.now();
    request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (step) => {
      bar.value = step.loaded / step.total;
      const left = (performance.now() - start) * (step.total / step.loaded - 1) / 1000;
      const more = left > 2 ? `, about ${Math.round(left)} seconds left` : "";
      told.textContent = `${size(step.loaded)} of ${size(step.total)}${more}`;
    });
    request.addEventListener("load", answered);
    request.addEventListener("error", () => ended("The file could not be sent: it is too large, or the server has ended."));
    request.addEventListener("abort", () => ended("Cancelled.", true));
    const kind = form.elements.kind.value;
    const column = kind === "corpus" ? encodeURIComponent(form.elements.text.value.trim()) : "";
    request.open("PUT", `/upload/${kind}/${encodeURIComponent(file.name)}?text=${column}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    bar.value = 0;
    sending.hidden = bar.hidden = stop.hidden = false;
    go.disabled = true;
    told.textContent = "Sending…";
    request.send(file);
    stop.focus();
  });
  stop.addEventListener("click", () => request && request.abort());
})();
