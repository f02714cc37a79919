// One thing and all that is known of it: its JSON, what can be done, its events and its calls.

import { actsOn, button } from "./acts.js";
import { byId, el, keyed, setText } from "./dom.js";
import { call } from "./session.js";

const most = 50;

export class Detail {
  constructor(log, said, cluster) {
    this.cluster = cluster;
    this.box = byId("detail");
    this.log = log;
    this.said = said;
    this.subject = null;
  }

  /** openResource shows a resource, and follows it until something else is opened. */
  async openResource(kind, id, mirror) {
    this.begin(`${kind}/${id}`, { kind, id });
    this.acts = el("ul", { class: "acts" });
    this.related = el("ul", { class: "related" });
    this.json = el("pre", { tabindex: "0", "aria-label": "JSON" });
    this.events = el("ol", { class: "entries" });
    this.calls = el("ol", { class: "entries" });
    this.node = el("p", { class: "state" });
    this.kubernetes = el("ol", { class: "entries" });
    this.kubernetesPart = part("Kubernetes", this.kubernetes, true);
    this.box.append(this.acts, this.node, this.related, this.kubernetesPart, part("JSON", this.json, true), part("Events", this.events, true), part("Calls", this.calls, true));
    this.update(mirror);
    this.box.focus();
    await this.fetchCalls();
  }

  /** openEntry shows a call or an event as it was recorded. */
  openEntry(entry) {
    this.begin(`${entry.type} ${entry.title}`, null);
    const json = el("pre", { tabindex: "0", "aria-label": "JSON" }, JSON.stringify(entry.raw, null, 2));
    const [kind, id] = halves(entry.about);
    if (id && (entry.type !== "kubernetes" || ["node", "service"].includes(kind))) this.box.append(el("p", {}, el("button", { type: "button", class: "link", onclick: () => this.open(kind, id) }, `Show ${entry.about}`)));
    const caused = this.log.entries.filter((other) => other !== entry && other.raw.requestID && other.raw.requestID === entry.raw.requestID);
    const list = el("ol", { class: "entries" });
    this.fill(list, caused);
    this.box.append(...(caused.length > 0 ? [part(entry.type === "call" ? "Changes by this call" : "The call, and its other changes", list, true)] : []), json);
    this.box.focus();
    if (entry.type === "call") this.showExchange(entry.raw.seq, json);
  }

  /** showExchange puts what a call sent and got below its JSON, as far as the journal still has it. */
  async showExchange(seq, json) {
    const { exchange, status } = await call("GET", `/_sim/journal/entries/${seq}`).catch(() => ({}));
    if (!json.isConnected || !exchange) return;
    json.after(bodyPart("Request", exchange.request, exchange.sent), bodyPart("Response", status || "no answer", exchange.got));
  }

  begin(title, subject) {
    this.back ??= document.activeElement;
    this.subject = subject;
    this.earlier = [];
    this.box.hidden = false;
    this.box.replaceChildren(el("h2", { id: "detail-title" }, title), el("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.close() }, "×"));
  }

  close() {
    this.box.hidden = true;
    this.subject = null;
    this.back?.focus?.();
    this.back = null;
  }

  /** fetchCalls reads the calls about the resource from the journal, which remembers more than the page. */
  async fetchCalls() {
    const { kind, id } = this.subject;
    const page = await call("GET", `/_sim/journal?resource=${encodeURIComponent(`${kind}/${id}`)}`).catch(() => ({ items: [] }));
    if (this.subject?.id !== id || this.subject.kind !== kind) return;
    const known = new Set(this.log.entries.map((entry) => entry.key));
    this.earlier = this.log.callEntries(page.items, false).filter((entry) => !known.has(entry.key)).toReversed();
    this.fill(this.calls, [...this.log.about(kind, id, "call"), ...this.earlier]);
  }

  /** update brings what is shown to what the mirror and the log have. */
  update(mirror) {
    if (!this.subject) return;
    const { kind, id } = this.subject;
    const object = mirror.get(kind, id);
    setText(byId("detail-title"), object ? `${object.name} ${kind}/${id}` : `${kind}/${id} is gone`);
    if (object) setText(this.json, JSON.stringify(object, null, 2));
    keyed(this.acts, object ? actsOn(kind, object) : [], (act) => act.label, (act) => button(act, this.said));
    keyed(this.related, object ? mirror.related(kind, id).slice(0, most) : [], ([k, i]) => `${k}/${i}`,
      ([k, i]) => el("li", {}, el("button", { type: "button", onclick: () => this.open(k, i) }, `${k} ${mirror.nameOf(k, i)}`)));
    setText(this.node, kind === "instance" && object && this.cluster.attached ? `Node: ${this.cluster.lineOf(object)}` : "");
    const about = [[kind, id], ...this.cluster.links(kind, id)].flatMap(([k, i]) => this.log.about(k, i, "kubernetes")).sort((a, b) => b.raw.seq - a.raw.seq);
    this.kubernetesPart.hidden = about.length === 0;
    this.fill(this.kubernetes, about);
    this.fill(this.events, this.log.about(kind, id, "event"));
    this.fill(this.calls, [...this.log.about(kind, id, "call"), ...this.earlier]);
  }

  fill(box, entries) {
    keyed(box, entries.slice(0, most), (entry) => entry.key, (entry) => el("li", { class: `entry ${entry.type}${entry.failed ? " failed" : ""}` }, this.log.line(entry)));
  }
}

/** halves are what is before the first slash of a text, and what is after it: ids may have slashes. */
function halves(text) {
  const at = text.indexOf("/");
  return [text.slice(0, at), text.slice(at + 1)];
}

function part(title, content, open) {
  return el("details", { open, class: "part" }, el("summary", {}, title), content);
}

/** bodyPart is the request or the response of a call; JSON that is whole has a line for each field. */
function bodyPart(name, title, body) {
  let text = body?.text ?? "";
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch { /* not JSON, or cut */ }
  const about = body ? `${body.type ?? ""}, ${body.size} bytes${body.cut ? ", cut" : ""}` : "no body";
  return part(name, el("div", {}, el("p", {}, `${title} (${about})`), el("pre", { tabindex: "0", "aria-label": name }, text)), true);
}
