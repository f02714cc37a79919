"use strict";

const svgNamespace = "http://www.w3.org/2000/svg";
const gutter = 92; // for the names of the lanes
const rowHeight = 18;
const axisHeight = 22;
const mostRows = 8; // of a lane
const letter = 6.3; // how wide one is, about

// svg makes an element of a drawing.
function svg(name, attributes = {}, text = "") {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

// Chart draws the moments of a view, a lane below the other.
class Chart {
  constructor(onSelect) {
    this.onSelect = onSelect;
    this.width = gutter + 100; // in pixels, as of the latest drawing
    this.element = svg("svg", { class: "chart", tabindex: "0", role: "application", "aria-label": "timeline: + and - zoom, arrows move, 0 shows all" });
  }

  // timeAt is the moment below a pixel of the drawing.
  timeAt(view, x) { return view.from + ((x - gutter) / (this.width - gutter)) * view.span; }

  x(view, at) { return gutter + ((at - view.from) / view.span) * (this.width - gutter); }

  draw(view, lanes, selected, related = []) {
    this.related = new Set(related);
    this.places = new Map(); // of the selected and the related moments that are drawn
    this.width = Math.max(this.element.clientWidth, gutter + 100);
    const parts = [];
    let top = axisHeight;
    for (const lane of lanes) {
      const drawn = this.lane(view, lane, top, selected);
      parts.push(drawn.group);
      top += drawn.height;
    }
    this.element.setAttribute("height", top + 4);
    this.element.replaceChildren(this.axis(view, top), ...parts, ...this.relations(selected));
  }

  // relations are lines from the selected moment to those that are related to it.
  relations(selected) {
    const from = this.places.get(selected);
    if (!from) return [];
    return [...this.related].map((moment) => this.places.get(moment)).filter(Boolean).map((to) => {
      const middle = (from.y + to.y) / 2;
      return svg("path", { class: "relation", d: `M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}` });
    });
  }

  axis(view, height) {
    const group = svg("g", { class: "axis" });
    const { step, all } = ticks(view, Math.max(2, Math.floor((this.width - gutter) / 90)));
    for (const at of all) {
      const x = this.x(view, at);
      group.append(svg("line", { x1: x, x2: x, y1: axisHeight - 6, y2: height }), svg("text", { x: x + 3, y: 12 }, seconds(at, step)));
    }
    return group;
  }

  // drawOver marks what is between two pixels, until the next drawing.
  drawOver(one, other) {
    const over = this.element.querySelector(".over") ?? svg("rect", { class: "over", y: 0, height: "100%" });
    over.setAttribute("x", Math.min(one, other));
    over.setAttribute("width", Math.abs(other - one));
    this.element.append(over);
  }

  lane(view, lane, top, selected) {
    const group = svg("g", { class: `lane ${lane.name}`, "data-lane": lane.name });
    const spans = this.spans(view, lane.moments);
    const { rows } = packWell(spans, mostRows);
    const height = Math.max(rows, 1) * rowHeight + 8;
    group.append(svg("line", { class: "rule", x1: 0, x2: this.width, y1: top, y2: top }), svg("text", { class: "title", x: 4, y: top + 17 }, lane.name));
    this.label(spans);
    for (const s of this.visible(spans, selected)) group.append(this.mark(s, top + 4 + s.row * rowHeight, selected));
    return { group, height };
  }

  // spans are the moments of the view with where they are drawn.
  spans(view, moments) {
    const spans = [];
    for (const moment of moments) {
      const until = Math.max(moment.until ?? 0, moment.at);
      if (until < view.from || moment.at > view.to) continue;
      const left = Math.max(this.x(view, moment.at), gutter);
      const right = Math.min(Math.max(this.x(view, until), left + 4), this.width);
      spans.push({ moment, left: Math.min(left, this.width - 4), right });
    }
    return spans;
  }

  // label says how much room there is for the text of each: up to the next one
  // in its row, or before it when it is the first one.
  label(spans) {
    const next = [];
    for (const s of spans.toReversed()) {
      s.room = (next[s.row] ?? this.width) - s.left - 8;
      next[s.row] = s.left;
    }
    const rows = new Set();
    for (const s of spans) {
      s.roomBefore = rows.has(s.row) ? 0 : s.left - gutter - 8;
      rows.add(s.row);
    }
  }

  // visible leaves out what would be drawn over by its like. What failed comes last, and
  // after it what is related to the selected moment, and that one: so nothing is drawn over them.
  visible(spans, selected) {
    const seen = new Set();
    const rank = (s) => (s.moment === selected ? 3 : this.related.has(s.moment) ? 2 : s.moment.failed ? 1 : 0);
    return spans.filter((s) => {
      const place = `${s.row}:${Math.round(s.left / 2)}:${Math.round(s.right / 2)}:${rank(s)}`;
      return !seen.has(place) && seen.add(place);
    }).sort((a, b) => rank(a) - rank(b));
  }

  mark(s, y, selected) {
    const kind = ["moment", s.moment.failed ? "failed" : "", s.moment === selected ? "selected" : "", this.related.has(s.moment) ? "related" : "", s.moment.until ? "" : "instant"];
    const group = svg("g", { class: kind.filter(Boolean).join(" ") });
    group.append(svg("title", {}, s.moment.title));
    group.append(svg("rect", { x: s.left, y, width: s.right - s.left, height: rowHeight - 4, rx: 2 }));
    const text = this.text(s, y + 11);
    if (text) group.append(text);
    if (s.moment === selected || this.related.has(s.moment)) this.places.set(s.moment, { x: (s.left + s.right) / 2, y: y + rowHeight / 2 - 2 });
    group.addEventListener("click", () => this.onSelect(s.moment));
    return group;
  }

  // text is what is written in a bar, behind it or before it: where it fits best.
  text(s, y) {
    const title = (s.moment.failed ? "✕ " : "") + s.moment.title;
    const wide = s.right - s.left;
    const behind = Math.floor((s.room - wide) / letter);
    const before = Math.floor(s.roomBefore / letter);
    const [x, anchor, fits] = wide > 40 ? [s.left + 4, "start", Math.floor(s.room / letter)]
      : behind < Math.min(before, title.length) ? [s.left - 3, "end", before] : [s.right + 3, "start", behind];
    if (fits < 5) return null;
    return svg("text", { x, y, "text-anchor": anchor }, title.length > fits ? `${title.slice(0, fits - 1)}…` : title);
  }
}
