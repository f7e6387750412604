// The map: draws the frequent words of an embedding on a canvas below the picture of the server, and
// moves that picture. Coordinates have the same scale on both axes. Words are text, never markup.

const SVG = "http://www.w3.org/2000/svg";
const MAX_CLOUD_LABELS = 60;
const LAYOUTS = ["components", "neighbourhoods", "axes"];
const MAX_ZOOM = 60; // times the view that shows everything
const HIT_PIXELS = 12;
const TOUCH_PIXELS = 22;
const DURATION_MS = 700;
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const isShowingSlurs = () => document.getElementById("slurs").checked;

// Fetches data, and asks again while its job runs.
async function fetchData(address, onError = () => {}) {
  let job = "";
  for (;;) {
    const response = await fetch(address + job);
    if (response.ok && response.status !== 202) return response;
    const about = await response.json();
    if (response.status !== 202) {
      onError(about.error);
      return null;
    }
    job = `&job=${encodeURIComponent(about.job)}`; // so that a cancelled job is not started again
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

const VERTEX = `#version 300 es
in vec2 from; in vec2 to;
uniform float t, size; uniform vec2 centre, zoom;
void main() {
  gl_Position = vec4((mix(from, to, t) - centre) * zoom, 0.0, 1.0);
  gl_PointSize = size;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 colour; out vec4 pixel;
void main() {
  float far = length(gl_PointCoord - 0.5);
  pixel = colour * (1.0 - smoothstep(0.38, 0.5, far));
}`;

// Draws points with one call of WebGL 2; `create` returns null where there is none.
class WebGLPoints {
  static create(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
    if (!gl) return null;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    return new WebGLPoints(gl, program);
  }

  constructor(gl, program) {
    this.gl = gl;
    this.program = program;
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.buffers = { from: gl.createBuffer(), to: gl.createBuffer() };
    this.uniforms = Object.fromEntries(["t", "size", "centre", "zoom", "colour"].map((name) => [name, gl.getUniformLocation(program, name)]));
  }

  load(name, positions) {
    const { gl } = this;
    const attribute = gl.getAttribLocation(this.program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(attribute);
    gl.vertexAttribPointer(attribute, 2, gl.FLOAT, false, 0, 0);
  }

  draw({ count, t, view, width, height, size, colour, ratio }) {
    const { gl, uniforms } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform1f(uniforms.t, t);
    gl.uniform1f(uniforms.size, Math.max(2, size * ratio));
    gl.uniform2f(uniforms.centre, view.x, view.y);
    gl.uniform2f(uniforms.zoom, (2 * view.zoom) / width, (2 * view.zoom) / height);
    const [red, green, blue, alpha] = colour;
    gl.uniform4f(uniforms.colour, red * alpha, green * alpha, blue * alpha, alpha);
    gl.drawArrays(gl.POINTS, 0, count);
  }
}

// The same without WebGL 2.
class CanvasPoints {
  constructor(canvas) {
    this.context = canvas.getContext("2d");
    this.positions = {};
  }

  load(name, positions) { this.positions[name] = positions; }

  draw({ count, t, view, width, height, size, colour, ratio }) {
    const { context, positions: { from, to } } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const [red, green, blue, alpha] = colour;
    context.fillStyle = `rgb(${255 * red} ${255 * green} ${255 * blue} / ${alpha})`;
    for (let k = 0; k < count; k++) {
      const x = width / 2 + (from[2 * k] + t * (to[2 * k] - from[2 * k]) - view.x) * view.zoom;
      const y = height / 2 - (from[2 * k + 1] + t * (to[2 * k + 1] - from[2 * k + 1]) - view.y) * view.zoom;
      if (x >= 0 && y >= 0 && x <= width && y <= height) context.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }
}

class WordMap {
  constructor(figure, atlas) {
    this.figure = figure;
    this.atlas = atlas;
    this.stage = figure.querySelector(".stage");
    this.canvas = figure.querySelector("canvas");
    this.pointed = figure.querySelector(".pointed");
    this.scale = Number(figure.dataset.scale);
    this.margin = Number(figure.dataset.margin);
    this.layout = atlas.dataset.layout;
    this.t = 1;
    this.positions = {};
    this.words = null;
    this.chosen = "";
    this.touched = false; // the labels of the server stay until the view changes
    this.marks = new Map();
    for (const svg of figure.querySelectorAll("svg.wide, svg.narrow")) {
      this.marks.set(svg, [...svg.querySelectorAll(".mark")].map((element) => ({
        element, text: element.querySelector("text"), word: element.dataset.word,
        ...Object.fromEntries(LAYOUTS.map((layout) => [layout, parsePlace(element.dataset[layout])])),
      })));
    }
    this.points = WebGLPoints.create(this.canvas);
    if (!this.points) {
      // A canvas that has tried WebGL may not give another context.
      const fresh = this.canvas.cloneNode();
      this.canvas.replaceWith(fresh);
      this.canvas = fresh;
      this.points = new CanvasPoints(fresh);
    }
    this.findPicture();
    this.view = this.fitView(this.layout);
    this.listen();
  }

  // The picture that the style sheet shows; its units are those of all coordinates in pixels.
  findPicture() {
    this.svg = [...this.marks.keys()].find((svg) => getComputedStyle(svg).display !== "none");
    const { width, height } = this.svg.viewBox.baseVal;
    [this.width, this.height] = [width, height];
  }

  fitView(layout) {
    const [left, right, low, high] = (this.figure.dataset[layout] || this.figure.dataset.components).split(" ").map(Number);
    const zoom = Math.min((this.width - 2 * this.margin) / Math.max(right - left, 1e-6), (this.height - 2 * this.margin) / Math.max(high - low, 1e-6));
    return { x: (left + right) / 2, y: (low + high) / 2, zoom };
  }

  async load() {
    const source = `source=${encodeURIComponent(this.figure.dataset.source)}`;
    this.positions[this.layout] = await this.fetchPositions(this.layout);
    if (!this.positions[this.layout]) return;
    this.showPositions(this.layout, this.layout);
    this.stage.classList.add("live");
    this.draw();
    const words = await fetchData(`/api/map/words?${source}`);
    if (words) this.words = await words.json();
    this.placeLabels();
    this.figure.dataset.ready = "yes";
  }

  async fetchPositions(layout, onError) {
    if (this.positions[layout]) return this.positions[layout];
    const query = new URLSearchParams(this.figure.dataset.axesQuery);
    query.set("source", this.figure.dataset.source);
    query.set("layout", layout);
    const response = await fetchData(`/api/map/positions?${query}`, onError);
    if (!response) return null;
    const view = new DataView(await response.arrayBuffer());
    const positions = new Float32Array(view.byteLength / 2);
    for (let k = 0; k < positions.length; k++) positions[k] = view.getInt16(2 * k, true) * this.scale;
    this.positions[layout] = positions;
    return positions;
  }

  showPositions(from, to) {
    this.points.load("from", this.positions[from]);
    this.points.load("to", this.positions[to]);
    this.from = from;
  }

  // Words

  wordAt(index) { return this.words.names[index] ?? this.words.words[index]; }

  textAt(index) {
    const mask = this.words.masks[index];
    return mask !== undefined && !isShowingSlurs() ? mask : this.words.words[index];
  }

  findIndex(word) {
    if (!this.words || !word) return -1;
    this.indices ??= new Map(this.words.words.map((_, index) => [this.wordAt(index), index]));
    return this.indices.get(word) ?? -1;
  }

  nearest(x, y, reach) {
    const positions = this.positions[this.layout];
    const [atX, atY] = this.toPlace(x, y);
    let best = -1;
    let least = (reach / this.view.zoom) ** 2;
    for (let k = 0; positions && k < positions.length / 2; k++) {
      const distance = (positions[2 * k] - atX) ** 2 + (positions[2 * k + 1] - atY) ** 2;
      if (distance < least) [best, least] = [k, distance];
    }
    return best;
  }

  nearestMark(x, y, reach) {
    let best = null;
    let least = reach;
    for (const mark of this.marks.get(this.svg)) {
      if (!mark[this.layout]) continue;
      const [atX, atY] = this.toPixels(mark[this.layout]);
      const distance = Math.hypot(atX - x, atY - y);
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  }

  // Pixels are units of the picture.
  toPixels([x, y]) { return [this.width / 2 + (x - this.view.x) * this.view.zoom, this.height / 2 - (y - this.view.y) * this.view.zoom]; }

  toPlace(x, y) { return [this.view.x + (x - this.width / 2) / this.view.zoom, this.view.y - (y - this.height / 2) / this.view.zoom]; }

  fromEvent(event) {
    const box = this.svg.getBoundingClientRect();
    const unit = this.width / box.width;
    return [(event.clientX - box.left) * unit, (event.clientY - box.top) * unit];
  }

  // Drawing

  request() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw(); // before the marks move: it reads sizes, which would lay the page out again
      if (this.areMarksStale) this.moveMarks();
    });
  }

  draw() {
    const box = this.svg.getBoundingClientRect();
    const ratio = (window.devicePixelRatio || 1) * (box.width / this.width);
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    const positions = this.positions[this.layout];
    if (!positions) return;
    const closeness = Math.sqrt(this.view.zoom / this.fitView(this.layout).zoom);
    const [red, green, blue] = getComputedStyle(this.canvas).color.match(/[\d.]+/g).map((value) => Number(value) / 255);
    const count = positions.length / 2;
    const density = count > 20_000 ? 0.22 : 0.5;
    this.points.draw({
      count, t: this.t, view: this.view, width: this.width, height: this.height, ratio,
      size: Math.min(5, 1.6 * closeness), colour: [red, green, blue, Math.min(0.8, density * closeness)],
    });
  }

  placeOf(mark) {
    const to = mark[this.layout];
    if (!to || this.t >= 1) return to;
    const from = mark[this.from] ?? to;
    return [0, 1].map((k) => from[k] + this.t * (to[k] - from[k]));
  }

  moveMarks() {
    this.areMarksStale = false;
    for (const mark of this.marks.get(this.svg)) {
      const place = this.placeOf(mark);
      mark.element.classList.toggle("nowhere", !place);
      if (!place) continue;
      const [x, y] = this.toPixels(place);
      mark.at = [x, y];
      mark.element.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    }
    const [x, y] = this.toPixels([0, 0]);
    const across = this.svg.querySelector(".zero.across");
    const up = this.svg.querySelector(".zero.up");
    for (const name of ["y1", "y2"]) across.setAttribute(name, y.toFixed(1));
    for (const name of ["x1", "x2"]) up.setAttribute(name, x.toFixed(1));
  }

  show(view, { settle = true } = {}) {
    this.view = view;
    this.touched = true;
    this.stage.classList.toggle("zoomed", view.zoom > 1.05 * this.fitView(this.layout).zoom);
    this.areMarksStale = true; // moved with the next frame, however often the view changes until then
    if (settle) this.placeLabels();
    else this.svg.querySelector(".cloud-labels").replaceChildren();
    this.request();
  }

  // Labels are placed greedily: marked words first, then the most frequent words in view.
  placeLabels() {
    if (this.areMarksStale) this.moveMarks();
    const size = Number(this.svg.getAttribute("font-size"));
    const boxes = [];
    const edge = 1.7 * size; // the names of the axes are there
    const isFree = ([left, top, right, bottom]) => left >= 0 && top >= edge && right <= this.width && bottom <= this.height - edge
      && boxes.every((box) => box[2] <= left || box[0] >= right || box[3] <= top || box[1] >= bottom);
    this.pen ??= document.createElement("canvas").getContext("2d");
    this.pen.font = `${size}px ${getComputedStyle(this.svg).fontFamily}`;
    const marks = this.marks.get(this.svg).filter((mark) => mark[this.layout]);
    for (const { at: [x, y] } of marks) boxes.push([x - 4, y - 4, x + 4, y + 4]);
    for (const mark of marks) {
      const width = this.pen.measureText(mark.text.textContent).width + 2;
      const places = [[7, -size / 2], [-7 - width, -size / 2], [-width / 2, -size - 6], [-width / 2, 6]];
      // Until the view changes, the labels of the server stay where they are.
      const given = [Number(mark.text.getAttribute("x")), Number(mark.text.getAttribute("y")) - 0.85 * size];
      const kept = mark.text.classList.contains("no-room") ? undefined : given;
      const place = !this.touched ? kept : places.find(([left, top]) => isFree([mark.at[0] + left, mark.at[1] + top, mark.at[0] + left + width, mark.at[1] + top + size * 1.1]));
      mark.text.classList.toggle("no-room", !place);
      if (!place) continue;
      if (this.touched) {
        mark.text.setAttribute("x", place[0].toFixed(1));
        mark.text.setAttribute("y", (place[1] + 0.85 * size).toFixed(1));
      }
      boxes.push([mark.at[0] + place[0], mark.at[1] + place[1], mark.at[0] + place[0] + width, mark.at[1] + place[1] + size * 1.1]);
    }
    this.placeCloudLabels(isFree, boxes, size);
    this.mark(this.chosen);
  }

  placeCloudLabels(isFree, boxes, size) {
    const labels = this.svg.querySelector(".cloud-labels");
    labels.replaceChildren();
    const positions = this.positions[this.layout];
    if (!this.words || !positions) return;
    const marked = new Set(this.marks.get(this.svg).map((mark) => mark.word));
    let tries = 0;
    for (let k = 0; k < this.words.words.length && labels.childElementCount < MAX_CLOUD_LABELS && tries < 4000; k++) {
      const [x, y] = this.toPixels([positions[2 * k], positions[2 * k + 1]]);
      if (x < 0 || y < 0 || x > this.width || y > this.height || !/[\p{L}]{2}/u.test(this.words.words[k]) || marked.has(this.wordAt(k))) continue;
      tries++;
      const text = this.textAt(k);
      const width = 0.86 * this.pen.measureText(text).width + 8;
      const box = [x - width / 2, y - 0.5 * size - 2, x + width / 2, y + 0.5 * size + 2];
      if (!isFree(box)) continue;
      boxes.push(box);
      labels.append(this.write(text, x, y + 0.3 * size, "middle"));
    }
  }

  write(text, x, y, anchor) {
    const element = document.createElementNS(SVG, "text");
    element.textContent = text;
    element.setAttribute("x", x.toFixed(1));
    element.setAttribute("y", y.toFixed(1));
    element.setAttribute("text-anchor", anchor);
    return element;
  }

  // Shows which word is chosen, whether it is marked or one of the cloud.
  mark(word) {
    this.chosen = word;
    for (const element of this.svg.querySelectorAll(".cloud-labels .selected, .cloud-labels circle")) element.remove();
    let isMarked = false;
    for (const mark of this.marks.get(this.svg)) {
      const isChosen = Boolean(word) && mark.word === word;
      isMarked ||= isChosen;
      mark.element.classList.toggle("selected", isChosen);
    }
    const index = this.findIndex(word);
    const positions = this.positions[this.layout];
    if (isMarked || index < 0 || !positions) return;
    const [x, y] = this.toPixels([positions[2 * index], positions[2 * index + 1]]);
    const ring = document.createElementNS(SVG, "circle");
    for (const [name, value] of [["cx", x], ["cy", y], ["r", 6]]) ring.setAttribute(name, value);
    const label = this.write(this.textAt(index), x, y - 10, "middle");
    label.setAttribute("class", "selected");
    this.svg.querySelector(".cloud-labels").append(ring, label);
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2, options) {
    const fit = this.fitView(this.layout).zoom;
    const zoom = Math.min(MAX_ZOOM * fit, Math.max(0.7 * fit, this.view.zoom * factor));
    const [atX, atY] = this.toPlace(x, y);
    this.show({ x: atX - (x - this.width / 2) / zoom, y: atY + (y - this.height / 2) / zoom, zoom }, options);
  }

  panBy(x, y, options) {
    this.show({ ...this.view, x: this.view.x - x / this.view.zoom, y: this.view.y + y / this.view.zoom }, options);
  }

  // Takes the places of a layout from a newer answer of the server.
  learnPlaces(layout, figure) {
    this.figure.dataset[layout] = figure.dataset[layout];
    for (const [svg, marks] of this.marks) {
      const fresh = figure.querySelector(`svg.${svg.classList[0]}`);
      const places = new Map([...fresh.querySelectorAll(".mark")].map((element) => [element.dataset.word, element.dataset[layout]]));
      for (const mark of marks) mark[layout] = parsePlace(places.get(mark.word));
    }
  }

  async switchTo(layout) {
    if (layout === this.layout || !(await this.fetchPositions(layout))) return;
    const before = { ...this.view };
    this.showPositions(this.layout, layout);
    this.layout = layout;
    const after = this.fitView(layout);
    const start = performance.now();
    const step = (now) => {
      const share = still.matches ? 1 : Math.min(1, Math.max(0, now - start) / DURATION_MS);
      this.t = share < 0.5 ? 2 * share ** 2 : 1 - 2 * (1 - share) ** 2;
      const mix = (name) => before[name] + this.t * (after[name] - before[name]);
      this.show({ x: mix("x"), y: mix("y"), zoom: mix("zoom") }, { settle: share >= 1 });
      if (share < 1) requestAnimationFrame(step);
      else this.figure.dataset.shown = layout;
    };
    requestAnimationFrame(step);
  }

  // Events

  listen() {
    const { stage } = this;
    stage.tabIndex = 0;
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", `Map of ${this.figure.dataset.source}`);
    stage.setAttribute("aria-describedby", "keys");
    const centre = document.createElementNS(SVG, "path");
    centre.setAttribute("class", "centre");
    centre.setAttribute("d", `M${this.width / 2 - 9} ${this.height / 2}h18M${this.width / 2} ${this.height / 2 - 9}v18`);
    this.svg.append(centre);
    const zoom = this.figure.querySelector(".zoom");
    zoom.hidden = false;
    zoom.addEventListener("click", (event) => {
      const kind = event.target.dataset.zoom;
      if (kind === "fit") this.show(this.fitView(this.layout));
      else if (kind) this.zoomBy(kind === "in" ? 1.6 : 1 / 1.6);
    });
    stage.addEventListener("keydown", (event) => this.press(event));
    // Without focus the wheel scrolls the page.
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !stage.contains(document.activeElement)) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...this.fromEvent(event));
    }, { passive: false });
    this.listenToPointers();
    stage.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => {
      const before = this.svg;
      this.findPicture();
      if (this.svg !== before) this.show(this.fitView(this.layout));
      else this.request();
    }).observe(stage);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.request());
    document.getElementById("slurs").addEventListener("change", () => this.showSlurs());
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.points = WebGLPoints.create(this.canvas);
      if (this.positions[this.layout]) this.showPositions(this.layout, this.layout);
      this.request();
    });
    this.showSlurs();
  }

  showSlurs() {
    for (const text of this.figure.querySelectorAll("text[data-slur]")) {
      text.textContent = isShowingSlurs() ? text.dataset.slur : text.dataset.mask;
    }
    if (this.touched) this.placeLabels();
  }

  press(event) {
    if (event.target !== this.stage || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60;
    const actions = {
      ArrowLeft: () => this.panBy(step, 0), ArrowRight: () => this.panBy(-step, 0),
      ArrowUp: () => this.panBy(0, step), ArrowDown: () => this.panBy(0, -step),
      "+": () => this.zoomBy(1.4), "=": () => this.zoomBy(1.4), "-": () => this.zoomBy(1 / 1.4),
      0: () => this.show(this.fitView(this.layout)), Enter: () => this.choose(this.width / 2, this.height / 2, Infinity),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  listenToPointers() {
    const pointers = new Map();
    const { stage } = this;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest(".zoom")) return;
      pointers.set(event.pointerId, this.fromEvent(event));
      this.moved = 0;
    });
    stage.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        if (event.pointerType === "mouse") this.point(event);
        return;
      }
      const now = this.fromEvent(event);
      const [x, y] = [now[0] - before[0], now[1] - before[1]];
      this.moved += Math.hypot(x, y);
      if (this.moved < 4) return;
      if (!stage.hasPointerCapture(event.pointerId)) stage.setPointerCapture(event.pointerId);
      stage.classList.add("dragged");
      this.pointed.hidden = true;
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      if (other) {
        const distance = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
        this.zoomBy(distance(now) / distance(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2, { settle: false });
      } else this.panBy(x, y, { settle: false });
    });
    for (const name of ["pointerup", "pointercancel"]) {
      stage.addEventListener(name, (event) => {
        if (!pointers.delete(event.pointerId)) return;
        stage.classList.remove("dragged");
        if (this.moved >= 4) this.placeLabels();
      });
    }
    stage.addEventListener("pointerleave", () => { this.pointed.hidden = true; });
    // A link must not be dragged as a file.
    stage.addEventListener("dragstart", (event) => event.preventDefault());
  }

  point(event) {
    const [x, y] = this.fromEvent(event);
    const mark = this.nearestMark(x, y, HIT_PIXELS);
    const index = mark || !this.words ? -1 : this.nearest(x, y, HIT_PIXELS);
    this.pointed.hidden = !mark && index < 0;
    if (this.pointed.hidden) return;
    this.pointed.textContent = mark ? mark.text.textContent : this.textAt(index);
    const box = this.stage.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 14, box.width - this.pointed.offsetWidth - 4);
    this.pointed.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, event.clientY - box.top - 34)}px)`;
  }

  click(event) {
    if (event.target.closest(".zoom") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (this.moved >= 4) return; // the end of a drag
    const mark = event.target.closest(".mark");
    if (mark) chooseLink(mark.querySelector("a"));
    else this.choose(...this.fromEvent(event), event.pointerType === "touch" ? TOUCH_PIXELS : HIT_PIXELS);
  }

  choose(x, y, reach) {
    const mark = this.nearestMark(x, y, Math.min(reach, TOUCH_PIXELS));
    if (mark) {
      chooseLink(mark.element.querySelector("a"));
      return;
    }
    const index = this.words ? this.nearest(x, y, reach) : -1;
    if (index >= 0) chooseWord(this.wordAt(index));
  }
}

function parsePlace(text) {
  return text ? text.split(" ").map(Number) : null;
}

// The page

const atlas = document.querySelector(".atlas");
const maps = atlas ? [...atlas.querySelectorAll("figure.map")].map((figure) => new WordMap(figure, atlas)) : [];
let sequence = 0; // of the latest choice: answers to earlier ones are dropped

function chooseLink(link) {
  const word = link?.href && new URL(link.href.baseVal ?? link.href, location.href).searchParams.get("word");
  if (word) chooseWord(word);
}

async function chooseWord(word) {
  const mine = ++sequence;
  const form = document.getElementById("find");
  form.word.value = word;
  for (const map of maps) map.mark(word);
  const address = new URL(location.href);
  address.searchParams.set("word", word);
  address.searchParams.delete("job");
  const place = document.getElementById("word");
  place.setAttribute("aria-busy", "true");
  try {
    for (;;) {
      const response = await fetch(`/map/word${address.search}`, { headers: { "HX-Request": "true", Accept: "text/html" } });
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      if (mine !== sequence) return;
      if (response.status === 202) {
        await new Promise((resolve) => setTimeout(resolve, 400));
        continue;
      }
      place.replaceChildren(...fresh.body.childNodes);
      history.replaceState(null, "", address);
      return;
    }
  } catch {
    place.textContent = "The server does not answer. Is it still running?";
  } finally {
    place.removeAttribute("aria-busy");
  }
}

async function switchLayout(layout, link) {
  const address = new URL(link.href);
  const word = new URL(location.href).searchParams.get("word");
  if (word) address.searchParams.set("word", word);
  await Promise.all(maps.map((map) => map.fetchPositions(layout)));
  atlas.dataset.layout = layout;
  for (const other of document.querySelectorAll(".switch [data-layout]")) {
    if (other === link) other.setAttribute("aria-current", "true");
    else other.removeAttribute("aria-current");
  }
  for (const field of document.querySelectorAll("input[name=layout]")) field.value = layout;
  history.replaceState(null, "", address);
  for (const map of maps) map.switchTo(layout);
}

// The server computes the neighbourhoods; until then it shows the principal components.
async function awaitNeighbourhoods() {
  const layout = "neighbourhoods";
  const link = document.querySelector(`.switch [data-layout=${layout}]`);
  const fail = (error) => {
    for (const note of document.querySelectorAll(".computing")) note.textContent = `${error} The map shows principal components.`;
  };
  const found = await Promise.all(maps.map((map) => map.fetchPositions(layout, fail)));
  if (!found.every(Boolean)) return;
  const response = await fetch(link.href, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const figures = page.querySelectorAll("figure.map");
  if (!response.ok || figures.length !== maps.length || ![...figures].every((figure) => figure.dataset[layout])) return;
  maps.forEach((map, k) => map.learnPlaces(layout, figures[k]));
  for (const note of document.querySelectorAll(".computing")) note.remove();
  switchLayout(layout, link);
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  const tab = event.target.closest?.(".switch [data-layout]");
  if (tab && maps.length && maps.every((map) => map.figure.dataset[tab.dataset.layout])) {
    event.preventDefault();
    switchLayout(tab.dataset.layout, tab);
    return;
  }
  const word = event.target.closest?.("#word a[data-choose]");
  if (word) {
    event.preventDefault();
    chooseWord(word.dataset.choose);
  }
});

document.getElementById("find")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const word = event.target.word.value.trim();
  if (word) chooseWord(word);
});

if (maps.length) {
  document.getElementById("keys").classList.add("live");
  const word = new URL(location.href).searchParams.get("word") || "";
  for (const map of maps) {
    map.chosen = word;
    map.moveMarks();
    map.mark(word);
  }
  Promise.all(maps.map((map) => map.load())).then(() => {
    if (document.querySelector(".computing")) awaitNeighbourhoods();
  });
}
