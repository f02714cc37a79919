// The calls, the changes of the cloud, what happens in the cluster, and faults, on one line of time.

import { byId, clockTime, counted, el, setText } from "./dom.js";

const second = 1000, minute = 60 * second;
const spans = [10 * second, 30 * second, minute, 5 * minute, 15 * minute, 60 * minute]; // that can be shown
const usual = 3;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900].map((n) => n * second); // between the times that are written
const most = 55; // marks of a lane, about: what comes close together is one
const gutter = 84, row = 22, axis = 18; // pixels

const lanes = [
  { name: "faults", of: (entry) => entry.type === "call" && Boolean(entry.raw.fault || /Fault/.test(entry.raw.operation)) },
  { name: "calls", of: (entry) => entry.type === "call" },
  { name: "cloud", of: (entry) => entry.type === "event" },
  { name: "Kubernetes", of: (entry) => entry.type === "kubernetes" },
];

function svg(name, attributes = {}, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  return node;
}

export class Timeline {
  /** open shows an entry of the log. */
  constructor(log, open) {
    this.log = log;
    this.open = open;
    this.zoom = usual;
    this.end = null; // of what is shown; null follows the time
    this.selected = null;
    this.marks = [];
    this.range = el("span", { class: "count" });
    this.said = el("output", { class: "rest" });
    this.chart = svg("svg", { class: "chart", tabindex: "0", role: "application", "aria-label": "Timeline: + and - zoom, the arrows move, 0 follows the time, n and p go to the next and the previous mark, Enter opens it" });
    const button = (text, label, act) => el("button", { type: "button", "aria-label": label, onclick: () => { act(); this.draw(); } }, text);
    byId("timeline").append(el("div", { class: "toolbar" }, button("+", "Zoom in", () => this.zoomBy(-1)), button("−", "Zoom out", () => this.zoomBy(1)),
      button("←", "Earlier", () => this.pan(-1)), button("→", "Later", () => this.pan(1)), button("now", "Follow the time", () => this.follow()), this.range, this.said), this.chart);
    this.chart.addEventListener("keydown", (event) => this.key(event));
    this.chart.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(byId("timeline"));
    setInterval(() => { if (this.end === null && !document.hidden) this.draw(); }, second);
    log.drawn = () => this.draw();
  }

  get span() { return spans[this.zoom]; }

  zoomBy(by) { this.zoom = Math.min(Math.max(this.zoom + by, 0), spans.length - 1); }

  /** pan moves by a part of what is shown, not beyond what the log remembers. */
  pan(direction) {
    const end = Math.max((this.end ?? Date.now()) + direction * this.span / 3, this.log.entries[0]?.at ?? 0);
    this.end = end >= Date.now() ? null : end;
  }

  follow() {
    this.zoom = usual;
    this.end = null;
  }

  /** lanes are those of the cloud, and that of its cluster. */
  get lanes() { return this.log.attached ? lanes : lanes.slice(0, -1); }

  draw() {
    const width = this.chart.clientWidth;
    if (width <= gutter || this.log.paused) return;
    const to = this.end ?? Date.now(), from = to - this.span;
    const x = (at) => gutter + ((at - from) / this.span) * (width - gutter - 4);
    this.marks = this.collect(from, to);
    const shown = this.marks.map((mark) => {
      mark.left = x(mark.first);
      mark.right = Math.max(x(mark.last), mark.left) + 4;
      const kind = [mark.lane.name, mark.failed && "failed", this.holds(mark) && "selected"].filter(Boolean).join(" ");
      return svg("rect", { class: `mark ${kind}`, x: mark.left, width: mark.right - mark.left, y: axis + lanes.indexOf(mark.lane) * row + 4, height: row - 7, rx: 2 });
    });
    const names = this.lanes.flatMap(({ name }, i) => [svg("line", { x1: 0, x2: width, y1: axis + i * row, y2: axis + i * row }), svg("text", { x: 0, y: axis + i * row + 15 }, name)]);
    this.chart.setAttribute("height", axis + this.lanes.length * row + 2);
    this.chart.replaceChildren(...names, ...this.ticks(from, to, x, width), ...shown);
    setText(this.range, `${new Date(from).toLocaleTimeString("en-GB")} to ${this.end === null ? "now" : new Date(to).toLocaleTimeString("en-GB")}, ${spanText(this.span)}`);
  }

  /** collect has what is shown of each lane, by time: what comes close together is one mark. */
  collect(from, to) {
    const bins = new Map();
    for (let i = this.log.entries.length - 1; i >= 0 && this.log.entries[i].at >= from; i--) {
      const entry = this.log.entries[i];
      if (entry.at > to || !this.log.wanted(entry)) continue;
      for (const lane of lanes) {
        if (!lane.of(entry)) continue;
        const key = `${lane.name}/${Math.floor((entry.at / this.span) * most)}`;
        const mark = bins.get(key) ?? { lane, last: entry.at, latest: entry, entries: 0, failed: false };
        bins.set(key, Object.assign(mark, { first: entry.at, entries: mark.entries + 1, failed: mark.failed || entry.failed }));
      }
    }
    return [...bins.values()].sort((a, b) => a.first - b.first);
  }

  ticks(from, to, x, width) {
    const step = steps.find((each) => this.span / each <= Math.min(width / 110, 12)) ?? steps.at(-1);
    const ticks = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      ticks.push(svg("line", { class: "tick", x1: x(at), x2: x(at), y1: axis - 4, y2: axis + this.lanes.length * row }));
      if (x(at) < width - 50) ticks.push(svg("text", { class: "tick", x: x(at), y: 11 }, new Date(at).toLocaleTimeString("en-GB")));
    }
    return ticks;
  }

  holds(mark) { return this.selected !== null && mark.lane === this.selected.lane && mark.first <= this.selected.at && this.selected.at <= mark.last; }

  /** select says what a mark is. */
  select(mark) {
    if (!mark) return;
    this.selected = { lane: mark.lane, at: mark.last };
    const { title, about, outcome } = mark.latest;
    setText(this.said, `${clockTime(mark.latest.time)} ${mark.lane.name}: ${mark.entries > 1 ? `${counted(mark.entries, "entry").replace("entrys", "entries")}, the latest ` : ""}${title} ${about} ${outcome}`);
    this.draw();
  }

  key(event) {
    const act = {
      "+": () => this.zoomBy(-1), "=": () => this.zoomBy(-1), "-": () => this.zoomBy(1), 0: () => this.follow(), ArrowLeft: () => this.pan(-1), ArrowRight: () => this.pan(1),
      n: () => this.step(1), p: () => this.step(-1), Enter: () => { const mark = this.marks.find((each) => this.holds(each)); if (mark) this.open(mark.latest); },
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
    this.draw();
  }

  /** step selects the next mark or the previous one; at first, the latest. */
  step(by) {
    const at = this.marks.findIndex((mark) => this.holds(mark));
    this.select(this.marks[at < 0 ? this.marks.length - 1 : Math.min(Math.max(at + by, 0), this.marks.length - 1)]);
  }

  /** click selects and opens the mark that is nearest: a mark of its own may be drawn again between press and release. */
  click(event) {
    const box = this.chart.getBoundingClientRect();
    const x = event.clientX - box.left, lane = lanes[Math.floor((event.clientY - box.top - axis) / row)];
    const distance = (mark) => Math.max(mark.left - x, x - mark.right, 0);
    const near = this.marks.filter((mark) => mark.lane === lane && distance(mark) < 8).sort((a, b) => distance(a) - distance(b))[0];
    if (!near) return;
    this.select(near);
    this.open(near.latest);
  }
}

const spanText = (span) => (span < minute ? counted(span / second, "second") : counted(span / minute, "minute"));
