"use strict";

const mostRelated = 50; // moments that are listed as of the same operation

// relatedTo are the moments that an operation of the cloud joins with one: the call that made it, and what it changed.
Timeline.prototype.relatedTo = function relatedTo(moment) {
  const id = moment.detail?.operationID;
  return id ? this.moments.filter((m) => m !== moment && m.detail?.operationID === id) : [];
};

// relations are the parts of the detail that list them, each to be selected.
Timeline.prototype.relations = function relations(related) {
  if (related.length === 0) return [];
  const list = element("ul", { class: "related" });
  for (const m of related.slice(0, mostRelated)) {
    const title = element("button", { type: "button" }, `${seconds(m.at, 0.001)} ${m.lane}: ${m.title}`);
    title.addEventListener("click", () => {
      this.select(m);
      this.detail.querySelector("h4").focus();
    });
    list.append(element("li", {}, title));
  }
  return [element("p", {}, "of the same operation:"), list];
};

// exchange are the parts of the detail of a call that show its request and its response.
function exchange(moment) {
  const e = moment.exchange;
  if (!e) return [];
  const none = moment.detail?.answer === "none" ? "none: the connection was dropped" : "without a body, or the caller had gone";
  return [bodyPart("request", e.request, e.sent, "without a body"), bodyPart("response", moment.detail?.answer ?? "", e.got, none)];
}

function bodyPart(name, title, body, none) {
  const about = body ? `${body.type ?? ""} ${body.size} bytes${body.cut ? ", cut" : ""}` : none;
  return element("details", { class: `part ${name}`, open: "" }, element("summary", {}, `${name}: ${title} (${about.trim()})`),
    element("pre", {}, body ? indented(body.text) : ""), ...(body?.cut ? [element("p", { class: "more" }, "… the journal keeps the first 4 KiB")] : []));
}

// indented is JSON with a line for each field; every other text stays as it is.
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// stepAt is the step or expectation during which a moment was: itself, if it is one; the latest one that had begun.
Timeline.prototype.stepAt = function stepAt(moment) {
  const isStep = (m) => m.lane === "steps" || m.lane === "expectations";
  if (isStep(moment)) return moment;
  return this.moments.filter((m) => isStep(m) && m.at <= moment.at && moment.at <= (m.until ?? m.at)).at(-1);
};

// markSource marks the line of the scenario in which the step of a moment begins.
Timeline.prototype.markSource = function markSource(moment) {
  const place = this.stepAt(moment)?.detail?.position;
  for (const line of this.root.parentElement.querySelectorAll(".source [data-steps]")) {
    line.classList.toggle("current", line.dataset.steps.split("\n").includes(place));
  }
};
