"use strict";

const mostListed = 300; // moments below the chart

// element makes one of HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Timeline shows the moments of one scenario: a chart, what it is filtered by, and the same as a list.
class Timeline {
  constructor(root, moments, end) {
    this.root = root;
    this.moments = moments;
    this.view = new View(Math.max(end, ...moments.map((m) => Math.max(m.at, m.until ?? 0))) * 1.01);
    this.hidden = new Set();
    this.text = "";
    this.onlyFailed = false;
    this.selected = null;
    this.related = [];
    this.chart = new Chart((moment) => this.select(moment));
    this.range = element("output", { class: "range" });
    this.detail = element("div", { class: "detail", "aria-live": "polite" });
    this.list = element("tbody");
    this.count = element("caption");
    this.listing = element("details", { class: "part list" },
      element("summary", {}, "show as a list"), element("table", {}, this.count, this.list));
    this.listing.addEventListener("toggle", () => this.draw());
    root.append(this.toolbar(), this.chart.element, this.detail, this.listing);
    this.listen();
    this.draw();
  }

  toolbar() {
    const bar = element("div", { class: "toolbar" });
    const button = (text, title, action) => {
      const b = element("button", { type: "button", title, class: "zoom" }, text);
      b.addEventListener("click", () => { action(); this.draw(); });
      return b;
    };
    const search = element("input", { type: "search", placeholder: "filter by text", "aria-label": "filter the timeline by text", class: "filter" });
    search.addEventListener("input", () => { this.text = search.value.trim().toLowerCase(); this.draw(); });
    const failed = this.checkbox("failed only", false, (on) => { this.onlyFailed = on; });
    failed.classList.add("only-failed");
    bar.append(button("+", "zoom in", () => this.view.zoom(0.5)), button("−", "zoom out", () => this.view.zoom(2)),
      button("all", "show all of it", () => this.view.reset()), this.range, search, failed);
    for (const lane of this.lanes()) {
      const box = this.checkbox(`${lane.name} ${lane.moments.length}`, true, (on) => this.hidden[on ? "delete" : "add"](lane.name));
      box.classList.add("lane", lane.name);
      bar.append(box);
    }
    return bar;
  }

  checkbox(text, checked, change) {
    const box = element("input", { type: "checkbox" });
    box.checked = checked;
    box.addEventListener("change", () => { change(box.checked); this.draw(); });
    return element("label", { class: "chip" }, box, ` ${text}`);
  }

  // lanes are the moments by lane, in the order in which they are drawn.
  lanes(moments = this.moments) {
    return laneOrder.map((name) => ({ name, moments: moments.filter((m) => m.lane === name) })).filter((lane) => lane.moments.length > 0);
  }

  matches(moment) {
    if (this.hidden.has(moment.lane) || (this.onlyFailed && !moment.failed)) return false;
    return this.text === "" || [moment.title, ...Object.values(moment.detail ?? {})].some((t) => t.toLowerCase().includes(this.text));
  }

  draw() {
    const shown = this.drawChart();
    this.range.textContent = `${seconds(this.view.from, this.view.span / 100)} – ${seconds(this.view.to, this.view.span / 100)}`;
    if (this.listing.open) this.drawList(shown.filter((m) => Math.max(m.until ?? 0, m.at) >= this.view.from && m.at <= this.view.to));
  }

  drawChart() {
    const shown = this.moments.filter((m) => this.matches(m));
    this.chart.draw(this.view, this.lanes(shown), this.selected, this.related);
    return shown;
  }

  drawList(moments) {
    this.count.textContent = moments.length > mostListed ? `the first ${mostListed} of ${moments.length}` : `${moments.length} of ${this.moments.length}`;
    this.list.replaceChildren(...moments.slice(0, mostListed).map((m) => {
      const title = element("button", { type: "button" }, m.title);
      title.addEventListener("click", () => this.select(m));
      return element("tr", { class: m.failed ? "failed" : "" }, element("td", {}, seconds(m.at, 0.01)), element("td", { class: m.lane }, m.lane), element("td", {}, title));
    }));
  }

  // select shows everything about a moment. The list stays as it is, and with it the focus of who goes through it by keys.
  select(moment) {
    this.selected = moment;
    this.related = this.relatedTo(moment);
    const lasted = moment.until ? `, for ${seconds(moment.until - moment.at, 0.001)}` : "";
    const facts = element("dl");
    for (const [name, value] of Object.entries(moment.detail ?? {})) facts.append(element("dt", {}, name), element("dd", {}, value));
    this.detail.replaceChildren(element("h4", { tabindex: "-1" }, moment.title), element("p", {}, `${moment.lane}, ${seconds(moment.at, 0.001)} after the beginning${lasted}`), facts, ...exchange(moment), ...this.relations(this.related), ...this.states(moment));
    this.markSource(moment);
    this.drawChart();
  }

  // locate shows the part around a failure and selects it.
  locate(from, to) {
    const around = Math.max((to - from) * 0.2, 0.3);
    this.view.show(from - around, to + around);
    const failed = this.moments.filter((m) => m.failed && ["steps", "expectations", "oracles"].includes(m.lane) && m.at >= from - 0.001 && m.at <= to + 0.001);
    if (failed.length > 0) this.select(failed[0]);
    this.draw();
    this.chart.element.scrollIntoView({ block: "center" });
  }
}
