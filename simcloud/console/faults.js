// The fault rules, with what they have hit, and a form for more.

import { addFault, button, deleteFault, perform } from "./acts.js";
import { byId, copyable, counted, el, keyed, setText, shellQuote } from "./dom.js";
import { call } from "./session.js";

/** presets fill the form in. */
const presets = {
  "The API is down": { name: "down", effect: { error: { code: "unavailable" } } },
  "Rate limited": { name: "limited", effect: { error: { code: "rate_limited", retryAfter: "5s" } } },
  "Every third call fails": { name: "third", every: 3, effect: { error: { code: "internal" } } },
  "Slow answers": { name: "slow", effect: { delay: { duration: "3s" } } },
  "Answers lost after the change": { name: "lost", operation: "Create*", effect: { reset: { when: "after" } } },
  "Calls hang": { name: "hang", effect: { hang: {} } },
  "No quota left": { name: "quota", operation: "Create*", effect: { error: { code: "quota_exceeded" } } },
  "Old lists": { name: "stale", operation: "List*", effect: { stale: { by: "30s" } } },
};

export class Faults {
  constructor(said) {
    this.said = said;
    this.rules = [];
    this.off = new Map(); // rules that were switched off here, and can be switched on again
    this.form();
  }

  async load() {
    this.rules = (await call("GET", "/_sim/faults")).items;
    this.draw();
  }

  draw() {
    const on = new Set(this.rules.map((rule) => rule.name).filter(Boolean));
    for (const [key, rule] of this.off) if (rule.name && on.has(rule.name)) this.off.delete(key);
    setText(byId("faults-count"), `${this.rules.length}`);
    const rows = [...this.rules.map((rule) => ({ rule, on: true })), ...[...this.off.values()].map((rule) => ({ rule, on: false }))];
    keyed(byId("faults"), rows, ({ rule, on: is }) => `${rule.id}/${is}`, (row) => this.makeRow(row), updateRow);
    byId("faults").classList.toggle("empty", rows.length === 0);
  }

  makeRow({ rule, on }) {
    const toggle = el("input", { type: "checkbox", role: "switch", checked: on, "aria-label": `Fault ${rule.name ?? rule.id}`, onchange: () => this.switch(rule, on) });
    const acts = on ? [button(deleteFault(rule), this.said)] : [];
    return el("div", { class: on ? "fault" : "fault off" }, el("label", {}, toggle, " ", el("b", {}, rule.name || rule.id)), " ", el("span", { class: "hits" }),
      el("code", { class: "what" }), el("ul", { class: "acts" }, ...acts));
  }

  /** switch removes a rule and remembers it here, or adds it again, with counts from 0. */
  async switch(rule, on) {
    if (on) {
      this.off.set(rule.id, rule);
      if (!(await perform(deleteFault(rule), this.said))) this.off.delete(rule.id);
    } else {
      const { id, added, calls, hits, ...again } = rule;
      if (await perform(addFault(again), this.said)) this.off.delete(rule.id);
    }
    await this.load();
  }

  form() {
    const field = (name, label, attributes) => el("label", {}, label, " ", el("input", { name, autocomplete: "off", spellcheck: "false", oninput: () => show(), ...attributes }));
    const select = el("select", { name: "preset", onchange: () => fill(presets[select.value]) }, el("option", { value: "" }, "own rule"), ...Object.keys(presets).map((name) => el("option", {}, name)));
    const fields = [field("name", "Name"), field("operation", "Operations", { placeholder: "Create*" }), field("caller", "Callers", { placeholder: "simcloud-ccm*" }),
      field("times", "Times", { type: "number", min: 1 }), field("every", "Every Nth", { type: "number", min: 1 }),
      field("probability", "Probability", { type: "number", min: 0, max: 1, step: "any" }), field("effect", "Effect (JSON)", { required: true, class: "long" })];
    const command = copyable("");
    const form = el("form", { onsubmit: (event) => { event.preventDefault(); this.submit(read()); } }, el("label", {}, "Preset ", select), ...fields, el("button", {}, "Add"), command);
    const read = () => ruleOf(Object.fromEntries(new FormData(form)));
    const show = () => {
      const rule = read();
      setText(command.firstChild, rule.effect ? addFault(rule).command : `simcloud fault add --effect ${shellQuote("EFFECT")}`);
    };
    const fill = (preset = {}) => {
      for (const { name } of fields.map((label) => label.querySelector("input"))) form.elements[name].value = name === "effect" && preset.effect ? JSON.stringify(preset.effect) : preset[name] ?? "";
      show();
    };
    byId("fault-form").append(form);
    show();
  }

  async submit(rule) {
    if (!rule.effect) return this.said("The effect is not JSON: want one such as {\"hang\": {}}", true);
    await perform(addFault(rule), this.said);
    return this.load();
  }
}

/** ruleOf is the rule that the fields of the form say. */
function ruleOf({ name, operation, caller, times, every, probability, effect }) {
  const set = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value));
  const parsed = (() => { try { return JSON.parse(effect); } catch { return undefined; } })();
  return set({ name, match: set({ operation, caller }), when: set({ times: Number(times), every: Number(every), probability: Number(probability) }), effect: parsed });
}

function updateRow(node, { rule, on }) {
  setText(node.querySelector(".hits"), on ? `hit ${rule.hits} of ${counted(rule.calls, "call")}` : "off");
  const said = (part) => JSON.stringify(part ?? {}).replace(/^\{\}$/, "");
  setText(node.querySelector(".what"), [said(rule.match), said(rule.when), said(rule.effect)].filter(Boolean).join(" "));
}
