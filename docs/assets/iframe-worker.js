// Search runs in a web worker, which browsers do not start for pages opened from a folder. There, a
// hidden frame replaces the worker: it loads the worker's script and forwards messages.
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      const page = this.frame.contentDocument;
      inside.postMessage = (data) => this.#tell("message", data);
      inside.importScripts = () => {};
      const script = page.createElement("script");
      script.src = address;
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        for (const data of waiting) this.postMessage(data);
      };
      script.onerror = () => this.#tell("error", undefined);
      page.body.append(script);
    }

    #tell(kind, data) {
      const event = new MessageEvent(kind, { data });
      setTimeout(() => {
        this["on" + kind]?.(event);
        this.dispatchEvent(event);
      });
    }

    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
        return;
      }
      const inside = this.frame.contentWindow;
      const event = new inside.MessageEvent("message", { data });
      setTimeout(() => {
        inside.onmessage?.(event);
        inside.dispatchEvent(event);
      });
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.Worker = FrameWorker;
})();
