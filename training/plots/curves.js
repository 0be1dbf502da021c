// Draws the curves of the page, and says the values under the pointer.
// A point is [decisions, seconds, score, low, high, text].
(() => {
  const COLORS = 8, DASHES = 4; // classes l0 … and d0 … of the style sheet
  const LEFT = 40, RIGHT = 12, TOP = 8, BOTTOM = 40; // pixels around the curves
  const SCORE = 2, LOW = 3, HIGH = 4, TEXT = 5;
  const { by, names, panels, unit } = JSON.parse(document.getElementById("data").textContent);
  const hidden = new Set();
  let column = by === "time" ? 1 : 0;

  function svg(name, attributes, words) {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    if (words !== undefined) one.textContent = words;
    return one;
  }

  function html(name, words = "", looks = "") {
    const one = document.createElement(name);
    one.textContent = words;
    one.className = looks;
    return one;
  }

  const color = (line) => `l${line % COLORS}`;
  const looks = (line) => `${color(line)} d${Math.floor(line / COLORS) % DASHES}`;

  // About `count` round numbers from one to another.
  function ticks(from, to, count) {
    const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
    const first = Math.ceil(from / step - 1e-9);
    return Array.from({ length: Math.floor(to / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
  }

  function number(x) {
    const round = (value) => String(Number(value.toPrecision(4)));
    if (x >= 1e9) return `${round(x / 1e9)} G`;
    if (x >= 1e6) return `${round(x / 1e6)} M`;
    return x >= 1e3 ? `${round(x / 1e3)} k` : round(x);
  }

  const brief = (x) => String(Number(x.toPrecision(3)));

  class Panel {
    constructor(panel) {
      this.panel = panel;
      this.section = html("section");
      this.stage = svg("svg", { tabindex: "0", role: "img", "aria-label": `Scores against ${panel.against}` });
      this.tip = html("div", "", "tip");
      this.tip.setAttribute("aria-live", "polite");
      this.tip.hidden = true;
      this.section.append(html("h2", `against ${panel.against}`), this.stage, this.tip);
      this.stage.addEventListener("pointermove", (event) => this.point(event.offsetX));
      this.stage.addEventListener("pointerdown", (event) => this.point(event.offsetX));
      this.stage.addEventListener("pointerleave", () => this.leave());
      this.stage.addEventListener("blur", () => this.leave());
      this.stage.addEventListener("keydown", (event) => this.key(event));
      new ResizeObserver(() => this.draw()).observe(this.section);
    }

    get curves() {
      return this.panel.curves.filter((one) => !hidden.has(one.line));
    }

    place(point) {
      return column ? point[1] / unit.seconds : point[0];
    }

    x(point) {
      return LEFT + (this.width - LEFT - RIGHT) * (this.place(point) / this.most);
    }

    y(value) {
      const [low, high] = this.panel.limits;
      return TOP + (this.height - TOP - BOTTOM) * (1 - (value - low) / (high - low));
    }

    path(points, key = SCORE) {
      return points.map((one) => `${this.x(one).toFixed(1)},${this.y(one[key]).toFixed(1)}`).join(" ");
    }

    draw() {
      const style = getComputedStyle(this.section);
      this.width = this.section.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      this.height = Math.round(Math.min(Math.max(0.6 * this.width, 230), 400));
      const every = this.panel.curves.flatMap((one) => [one.points, ...one.seeds].flat());
      this.most = 1.02 * Math.max(...every.map((one) => this.place(one))) || 1;
      this.stage.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
      this.stage.setAttribute("height", this.height);
      this.marks = svg("g", {});
      this.stage.replaceChildren(...this.axes(), ...this.curves.flatMap((one) => this.line(one)), this.marks);
      this.leave();
    }

    axes() {
      const [right, bottom] = [this.width - RIGHT, this.height - BOTTOM];
      const [low, high] = this.panel.limits;
      const rows = ticks(100 * low, 100 * high, 8).flatMap((one) => {
        const y = this.y(one / 100);
        const looks = one === 50 ? "even" : "grid";
        return [
          svg("line", { class: looks, x1: LEFT, x2: right, y1: y, y2: y }),
          svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, number(one)),
        ];
      });
      const columns = ticks(0, this.most, Math.max(this.width / 70, 2)).flatMap((one) => {
        const x = LEFT + (right - LEFT) * (one / this.most);
        return [
          svg("line", { class: "grid", x1: x, x2: x, y1: TOP, y2: bottom }),
          svg("text", { x, y: bottom + 16, "text-anchor": "middle" }, number(one)),
        ];
      });
      const words = column ? unit.words : "decisions of the learner";
      const label = svg("text", { x: (LEFT + right) / 2, y: this.height - 6, "text-anchor": "middle" }, words);
      return [...rows, ...columns, label, svg("text", { x: 0, y: TOP + 4 }, "%")];
    }

    line({ line, points, seeds }) {
      const back = [...points].reverse();
      const several = seeds.length > 1 ? seeds : [];
      return [
        svg("polygon", { class: `band ${color(line)}`, points: `${this.path(points, LOW)} ${this.path(back, HIGH)}` }),
        ...several.map((one) => svg("polyline", { class: `seed ${looks(line)}`, points: this.path(one) })),
        svg("polyline", { class: `curve ${looks(line)}`, points: this.path(points) }),
        ...points.map((one) => this.dot(line, one, 2.5)),
      ];
    }

    dot(line, point, r) {
      return svg("circle", { class: `dot ${color(line)}`, cx: this.x(point), cy: this.y(point[SCORE]), r });
    }

    // Show each line's point that is nearest to a place in the picture.
    point(at) {
      if (!this.curves.length) return;
      const near = (points) =>
        points.reduce((best, one) => (Math.abs(this.x(one) - at) < Math.abs(this.x(best) - at) ? one : best));
      const nearest = this.curves.map((one) => ({ ...one, point: near(one.points) }));
      this.at = this.x(near(nearest.map((one) => one.point)));
      const rule = svg("line", { class: "rule", x1: this.at, x2: this.at, y1: TOP, y2: this.height - BOTTOM });
      this.marks.replaceChildren(rule, ...nearest.map((one) => this.dot(one.line, one.point, 5)));
      const place = (one) =>
        column ? `${brief(this.place(one))} ${unit.short}` : `${Math.round(one[0]).toLocaleString("en")} decisions`;
      const here = place(near(nearest.map((one) => one.point)));
      const words = nearest.map(({ line, point }) => {
        const elsewhere = place(point) === here ? "" : `, after ${place(point)}`;
        return html("p", `${names[line]}: ${point[TEXT]}${elsewhere}`, color(line));
      });
      words.unshift(html("div", `after ${here}`));
      this.tip.replaceChildren(...words);
      this.tip.hidden = false;
      this.put();
    }

    // Put the words beside the rule where there is more room: above the curves, which rise, and later below them.
    put() {
      const around = this.section.getBoundingClientRect(), box = this.stage.getBoundingClientRect();
      const [left, top] = [box.left - around.left, box.top - around.top], early = this.at < this.width / 2;
      const beside = left + (early ? this.at + 12 : this.at - 12 - this.tip.offsetWidth);
      this.tip.style.left = `${Math.max(Math.min(beside, around.width - this.tip.offsetWidth - 4), 4)}px`;
      const under = this.height - BOTTOM - this.tip.offsetHeight - 4;
      this.tip.style.top = `${top + (early ? TOP + 4 : Math.max(under, TOP))}px`;
    }

    leave() {
      this.tip.hidden = true;
      this.marks?.replaceChildren();
    }

    key(event) {
      if (event.key === "Escape") return this.leave();
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const places = [...new Set(this.curves.flatMap((one) => one.points.map((point) => this.x(point))))];
      if (!step || !places.length) return;
      event.preventDefault();
      places.sort((one, other) => step * (one - other));
      const now = this.tip.hidden ? null : this.at;
      this.point(now === null ? places[0] : (places.find((one) => step * (one - now) > 0.5) ?? now));
    }
  }

  const shown = panels.map((one) => new Panel(one));
  document.getElementById("panels").append(...shown.map((one) => one.section));
  const draw = () => shown.forEach((one) => one.draw());

  for (const one of document.querySelectorAll("#by input")) {
    one.checked = one.value === by;
    one.addEventListener("change", () => {
      column = one.value === "time" ? 1 : 0;
      draw();
    });
  }

  document.getElementById("lines").append(
    ...names.map((name, line) => {
      const label = html("label"), box = html("input");
      const sample = svg("svg", { viewBox: "0 0 32 12", "aria-hidden": "true" });
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => {
        hidden[box.checked ? "delete" : "add"](line);
        draw();
      });
      sample.append(svg("polyline", { class: `curve ${looks(line)}`, points: "0,6 32,6" }));
      label.append(sample, name, box);
      return label;
    }),
  );
})();
