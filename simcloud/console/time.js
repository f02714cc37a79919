// The cloud's clock, and the rules by which its operations take their time.

import { advanceClock, perform, setClock } from "./acts.js";
import { byId, copyable, counted, el, setText } from "./dom.js";
import { call } from "./session.js";

export class Time {
  constructor(said) {
    this.said = said;
    this.status = null;
    this.rules = el("pre", { tabindex: "0", "aria-label": "Rules of the cloud" });
    byId("time").append(this.forms(), el("details", { class: "part" }, el("summary", {}, "Rules of the cloud"), this.rules));
    setInterval(() => this.tick(), 1000);
  }

  async load() {
    const [clock, config] = await Promise.all([call("GET", "/_sim/clock"), call("GET", "/_sim/config")]);
    this.status = clock;
    this.read = performance.now();
    setText(this.rules, JSON.stringify(config, null, 2));
    this.tick();
  }

  /** tick shows what the clock shows now, by how it goes. */
  tick() {
    if (!this.status) return;
    const { mode, factor, now } = this.status;
    const speed = { manual: 0, scaled: factor }[mode] ?? 1;
    const time = new Date(Date.parse(now) + (performance.now() - this.read) * speed);
    setText(byId("clock"), `${time.toISOString().slice(0, 19).replace("T", " ")} UTC, ${mode === "scaled" ? `${counted(factor, "time")} as fast` : `${mode} clock`}`);
  }

  forms() {
    const factor = el("input", { type: "number", name: "factor", min: 1, value: 60, "aria-label": "Factor", oninput: () => show() });
    const mode = el("select", { name: "mode", onchange: () => show() }, ...["real", "manual", "scaled"].map((m) => el("option", {}, m)));
    const by = el("input", { name: "by", value: "1m", "aria-label": "Advance by", oninput: () => show() });
    const chosen = () => setClock(mode.value, factor.value);
    const set = copyable(""), advance = copyable("");
    const show = () => { setText(set.firstChild, chosen().command); setText(advance.firstChild, advanceClock(by.value).command); factor.hidden = mode.value !== "scaled"; };
    const form = (act, ...fields) => el("form", { onsubmit: async (event) => { event.preventDefault(); await perform(act(), this.said); await this.load(); } }, ...fields);
    show();
    return el("div", {}, form(chosen, el("label", {}, "Clock ", mode), factor, el("button", {}, "Set"), set), form(() => advanceClock(by.value), el("label", {}, "Advance by ", by), el("button", {}, "Advance"), advance));
  }
}
