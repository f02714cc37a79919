"use strict";

// View is the part of a timeline that is shown, in seconds.
class View {
  constructor(end) {
    this.end = Math.max(end, View.shortest);
    this.reset();
  }

  reset() { this.show(0, this.end); }

  get span() { return this.to - this.from; }

  // show moves to a part, as much of it as there is.
  show(from, to) {
    const span = Math.min(Math.max(to - from, View.shortest), this.end);
    this.from = Math.min(Math.max(from, 0), this.end - span);
    this.to = this.from + span;
  }

  // zoom changes the span by a factor; what is at a moment stays where it is.
  zoom(factor, at = (this.from + this.to) / 2) {
    const span = Math.min(Math.max(this.span * factor, View.shortest), this.end);
    const from = at - (at - this.from) * (span / this.span);
    this.show(from, from + span);
  }

  pan(seconds) { this.show(this.from + seconds, this.to + seconds); }
}
View.shortest = 0.005;

// roundStep is the smallest round number of seconds of which at most so many fit into a span.
function roundStep(span, most) {
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
}

// ticks are the round moments of a view.
function ticks(view, most) {
  const step = roundStep(view.span, most);
  const all = [];
  for (let n = Math.ceil(view.from / step); n * step <= view.to; n++) all.push(n * step);
  return { step, all };
}

// seconds writes a time so that times a step apart differ.
function seconds(value, step) {
  const digits = Math.min(Math.max(0, Math.ceil(-Math.log10(step))), 4);
  return `${value.toFixed(digits)} s`;
}

// pack gives spans rows so that no two in a row come closer than a gap; what
// does not fit into the rows that there are goes into the row that is free first.
function pack(spans, gap, most) {
  const ends = [];
  let overflow = 0;
  for (const s of spans) {
    let row = ends.findIndex((end) => end + gap <= s.left);
    if (row < 0 && ends.length < most) row = ends.length;
    if (row < 0) {
      overflow++;
      row = ends.indexOf(Math.min(...ends));
    }
    s.row = row;
    ends[row] = Math.max(ends[row] ?? -Infinity, s.right);
  }
  return { rows: ends.length, overflow };
}

// packWell packs with as much room for texts as the rows allow.
function packWell(spans, most) {
  for (const gap of [180, 60]) {
    const packed = pack(spans, gap, most);
    if (packed.overflow === 0) return packed;
  }
  return pack(spans, 1, most);
}
