// The live list of the calls that the cloud gets and of the changes that they make.

import { byId, clockTime, counted, el, keyed, setText } from "./dom.js";
import { ownPrefix } from "./session.js";

const kept = 4000; // entries that are remembered
const shown = 200; // entries that are in the page

const filters = {
  calls: { label: "calls", on: true, test: (entry) => entry.type === "call" && (!entry.own || entry.write) },
  reads: { label: "reads", on: false },
  events: { label: "events", on: true, test: (entry) => entry.type === "event" },
  kubernetes: { label: "Kubernetes", on: true, test: (entry) => entry.type === "kubernetes" },
  own: { label: "this console", on: false, test: (entry) => entry.own },
  failed: { label: "failed only", on: false },
  pause: { label: "pause", on: false },
};

export class Log {
  /** open shows an entry. */
  constructor(open) {
    this.open = open;
    this.entries = [];
    this.search = "";
    this.attached = false;
    this.drawn = () => {}; // what else shows the entries
    const boxes = Object.entries(filters).map(([name, filter]) => el("label", { class: "chip", hidden: name === "kubernetes" },
      el("input", { type: "checkbox", checked: filter.on, "data-filter": name, onchange: (event) => { filter.on = event.target.checked; this.draw(); } }), filter.label));
    byId("log-filters").append(...boxes, el("label", { class: "search" }, "Filter ", el("input", { type: "search", id: "log-search", autocomplete: "off", spellcheck: "false",
      oninput: (event) => { this.search = event.target.value.toLowerCase(); this.draw(); } })));
  }

  /** addCalls takes entries of the journal in; those of before the page came are in their place by time. */
  addCalls(calls, live) { this.add(this.callEntries(calls, live)); }

  callEntries(calls, live) {
    return calls.map((call) => ({
      key: `call/${call.seq}`, type: "call", time: call.time, at: live ? Date.now() : Date.parse(call.time), own: call.requestID.startsWith(ownPrefix), write: call.write,
      failed: Boolean(call.code), title: call.name, about: call.shownID ? `${call.resource} (${call.shownID})` : call.resource ?? "",
      outcome: [call.status || "no answer", call.code, call.fault && `by ${call.fault}`].filter(Boolean).join(" "), by: call.requestID.startsWith(ownPrefix) ? "this console" : call.caller?.userAgent ?? "", raw: call,
    }));
  }

  addEvents(events, live) {
    this.add(events.map((event) => ({
      key: `event/${event.revision}`, type: "event", time: event.time, at: live ? Date.now() : Date.parse(event.time), own: false, write: true,
      failed: event.object?.state === "error" || event.object?.state === "failed", title: event.type, about: `${event.kind}/${event.id}`,
      outcome: event.object?.state ?? "", by: event.object?.name ?? "", raw: event,
    })));
  }

  /** follows says whether there is a Kubernetes cluster to follow. */
  follows(attached) {
    this.attached = attached;
    byId("log-filters").querySelector("[data-filter=kubernetes]").parentElement.hidden = !attached;
  }

  get paused() { return filters.pause.on; }

  /** addRecords takes in what the cluster has to tell; a whole answer is in the place of all before. */
  addRecords(records, whole) {
    if (whole) this.entries = this.entries.filter((entry) => entry.type !== "kubernetes");
    this.add(records.map((record) => ({
      key: `kubernetes/${record.seq}`, type: "kubernetes", time: record.time, at: whole ? Date.parse(record.time) : Date.now(), own: false, write: true,
      failed: record.type === "Warning", title: record.event?.reason ?? record.type, about: `${record.kind}/${record.id}`,
      outcome: record.event ? `${record.event.message}${record.event.count > 1 ? `, ${counted(record.event.count, "time")}` : ""}` : record.what ?? "", by: record.event?.from ?? "", raw: record,
    })));
  }

  add(entries) {
    for (const entry of entries) {
      let at = this.entries.length;
      while (at > 0 && this.entries[at - 1].at > entry.at) at--;
      this.entries.splice(at, 0, entry);
    }
    if (this.entries.length > kept) this.entries.splice(0, this.entries.length - kept);
  }

  wanted(entry) {
    if (filters.failed.on && !entry.failed) return false;
    if (entry.type === "call" && !entry.own && !entry.write && !entry.failed && !filters.reads.on) return false;
    if (!Object.values(filters).some((filter) => filter.test && filter.on && filter.test(entry))) return false;
    return !this.search || `${entry.title} ${entry.about} ${entry.outcome} ${entry.by}`.toLowerCase().includes(this.search);
  }

  /** about has the entries that are about a resource, the latest first. */
  about(kind, id, type) {
    const ref = `${kind}/${id}`;
    return this.entries.filter((entry) => entry.type === type && (entry.about === ref || (entry.raw.object?.resource?.kind === kind && entry.raw.object?.resource?.id === id))).toReversed();
  }

  draw() {
    if (this.paused) return;
    this.drawn();
    const found = [];
    for (let i = this.entries.length - 1; i >= 0 && found.length < shown; i--) if (this.wanted(this.entries[i])) found.push(this.entries[i]);
    setText(byId("log-count"), found.length < shown ? `${found.length}` : `the latest ${shown}`);
    keyed(byId("log"), found, (entry) => entry.key, (entry) => el("li", { class: `entry ${entry.type}${entry.failed ? " failed" : ""}` }, this.line(entry)));
  }

  /** line is an entry as one line, which opens it. */
  line(entry) {
    return el("button", { type: "button", class: "link", onclick: () => this.open(entry) },
      el("time", { datetime: entry.time }, clockTime(entry.time)), " ", el("span", { class: "type" }, entry.type), " ", el("b", {}, entry.title), ` ${entry.about} `,
      el("span", { class: "outcome" }, entry.outcome), " ", el("span", { class: "by" }, entry.by));
  }
}
