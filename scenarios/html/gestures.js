"use strict";

// listen lets the chart be zoomed and moved: by wheel, by drag, by keys.
Timeline.prototype.listen = function listen() {
  const chart = this.chart.element;
  chart.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.deltaX) return; // the page scrolls
    event.preventDefault();
    const per = this.view.span / (this.chart.width - gutter);
    if (event.ctrlKey || event.metaKey) this.view.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.chart.timeAt(this.view, event.offsetX));
    else this.view.pan(event.deltaX * per);
    this.draw();
  }, { passive: false });
  chart.addEventListener("dblclick", (event) => {
    this.view.zoom(0.4, this.chart.timeAt(this.view, event.clientX - chart.getBoundingClientRect().left));
    this.draw();
  });
  chart.addEventListener("keydown", (event) => this.key(event));
  this.drag();
  new ResizeObserver(() => { if (this.chart.element.clientWidth !== this.chart.width) this.draw(); }).observe(this.root);
};

Timeline.prototype.key = function key(event) {
  const view = this.view;
  const actions = {
    "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), 0: () => view.reset(),
    ArrowLeft: () => view.pan(-view.span / 5), ArrowRight: () => view.pan(view.span / 5),
  };
  if (event.ctrlKey || event.metaKey || !actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
  this.draw();
};

// drag moves the view; with Shift held it shows the part that was drawn over.
Timeline.prototype.drag = function drag() {
  const chart = this.chart.element;
  let start = null;
  const pixel = (x) => x - chart.getBoundingClientRect().left;
  const at = (event) => this.chart.timeAt(this.view, pixel(event.clientX));
  const end = (event) => {
    if (start?.part) {
      if (Math.abs(event.clientX - start.x) > 4) this.view.show(Math.min(start.at, at(event)), Math.max(start.at, at(event)));
      this.draw();
    }
    start = null;
    chart.classList.remove("dragged");
  };
  chart.addEventListener("pointerdown", (event) => {
    if (event.button === 0) start = { x: event.clientX, at: at(event), from: this.view.from, part: event.shiftKey };
  });
  chart.addEventListener("pointermove", (event) => {
    if (!start || Math.abs(event.clientX - start.x) < 4) return;
    chart.setPointerCapture(event.pointerId);
    if (start.part) {
      this.chart.drawOver(pixel(start.x), pixel(event.clientX));
      return;
    }
    chart.classList.add("dragged");
    const moved = ((event.clientX - start.x) / (this.chart.width - gutter)) * this.view.span;
    this.view.show(start.from - moved, start.from - moved + this.view.span);
    this.draw();
  });
  chart.addEventListener("pointerup", end);
  chart.addEventListener("pointercancel", end);
};
