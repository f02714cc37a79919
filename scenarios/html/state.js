"use strict";

const around = 2; // lines that a difference shows before and after what differs
const mostCompared = 1_000_000; // pairs of lines

// lineDiff compares two texts line by line: what is in both, in the first alone, in the second alone.
function lineDiff(before, after) {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  if (a.length * b.length > mostCompared) return [...a.map((text) => ({ sign: "−", text })), ...b.map((text) => ({ sign: "+", text }))];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1)); // of what is left of both
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const lines = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i] });
      i++;
      j++;
    } else if (j === b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) lines.push({ sign: "−", text: a[i++] });
    else lines.push({ sign: "+", text: b[j++] });
  }
  return lines;
}

// nearChanges leaves out what is the same for longer than a few lines.
function nearChanges(lines) {
  const near = (n) => lines.slice(Math.max(0, n - around), n + around + 1).some((line) => line.sign !== " ");
  const kept = [];
  for (const [n, line] of lines.entries()) {
    if (near(n)) kept.push(line);
    else if (kept.at(-1)?.sign !== "…") kept.push({ sign: "…", text: "" });
  }
  return kept;
}

// objectsAt are the states of all objects that are known at a moment, by name.
Timeline.prototype.objectsAt = function objectsAt(moment) {
  const states = new Map();
  for (const m of this.moments) {
    if (!m.object || m.at > moment.at) continue;
    if (m.object.state) states.set(m.object.name, m.object.state);
    else states.delete(m.object.name);
  }
  return states;
};

// difference is what a change changed in its object.
Timeline.prototype.difference = function difference(moment) {
  const { name, state = "", before } = moment.object;
  const earlier = this.moments.slice(0, this.moments.indexOf(moment)).filter((m) => m.object?.name === name).at(-1);
  const classes = { "+": "added", "−": "removed" };
  const lines = nearChanges(lineDiff(before ?? earlier?.object.state ?? "", state)).map((line) =>
    element("span", { class: classes[line.sign] ?? "" }, `${line.sign} ${line.text}\n`));
  return element("details", { class: "part", open: "" }, element("summary", {}, `what changed in ${name}`), element("pre", { class: "diff" }, ...lines));
};

// states are the parts of the detail of a moment that show objects: what it changed, and all as they were then.
Timeline.prototype.states = function states(moment) {
  const parts = moment.object ? [this.difference(moment)] : [];
  const objects = [...this.objectsAt(moment)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (objects.length > 0) {
    parts.push(element("details", { class: "part objects" }, element("summary", {}, `objects that had changed by ${seconds(moment.at, 0.001)}: ${objects.length}`),
      ...objects.map(([name, state]) => element("details", { class: "part" }, element("summary", {}, name), element("pre", {}, state)))));
  }
  return parts;
};
