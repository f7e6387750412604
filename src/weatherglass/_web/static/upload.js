// Uploads a file as the body of a request, with progress and a cancel button.
(() => {
  const form = document.getElementById("upload");
  const [send, cancel] = form.querySelectorAll("button");
  const sending = document.getElementById("sending");
  const bar = document.getElementById("sent");
  const status = document.getElementById("upload-status");
  let request = null;

  function formatBytes(bytes) {
    const step = bytes >= 1e9 ? [1e9, "GB"] : bytes >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
    return `${(bytes / step[0]).toFixed(1)} ${step[1]}`;
  }

  function finish(text, focus) {
    request = null;
    send.disabled = false;
    cancel.hidden = true;
    bar.hidden = true;
    status.textContent = text;
    if (focus) send.focus();
  }

  function showUpload(text) {
    const upload = JSON.parse(text);
    const part = document.createElement("div");
    part.className = "uploaded";
    document.getElementById("files").prepend(part);
    htmx.ajax("GET", `/upload/file?id=${encodeURIComponent(upload.id)}`, { target: part, swap: "outerHTML" });
    form.elements.file.value = "";
    finish(`${upload.name} was uploaded.`);
  }

  function handleResponse() {
    if (request.status === 201) return showUpload(request.responseText);
    let error = "The upload failed.";
    try {
      error = JSON.parse(request.responseText).error;
    } catch {
      // the server stopped in the middle and sent no error
    }
    finish(error);
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
      status.textContent = `${formatBytes(step.loaded)} of ${formatBytes(step.total)}${more}`;
    });
    request.addEventListener("load", handleResponse);
    request.addEventListener("error", () => finish("The upload failed: the file is too large, or the server has stopped."));
    request.addEventListener("abort", () => finish("Cancelled.", true));
    const kind = form.elements.kind.value;
    const column = kind === "corpus" ? encodeURIComponent(form.elements.text.value.trim()) : "";
    const unit = kind === "corpus" ? form.elements.documents.value : "";
    request.open("PUT", `/upload/${kind}/${encodeURIComponent(file.name)}?text=${column}&documents=${unit}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    bar.value = 0;
    sending.hidden = bar.hidden = cancel.hidden = false;
    send.disabled = true;
    status.textContent = "Uploading…";
    request.send(file);
    cancel.focus();
  });
  cancel.addEventListener("click", () => request && request.abort());
})();
