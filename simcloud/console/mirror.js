// A copy of what the cloud has, which follows the stream of its events.

import { call } from "./session.js";

/** kindOf is the kind of what stands at a place of a state: floatingIPs are of the kind floating_ip. */
const kindOf = (place) => place.replace(/s$/, "").replaceAll("IP", "Ip").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** notRelated are kinds to which everything leads. */
const notRelated = new Set(["operation", "token", "project", "quota", "region", "instance_type", "floating_ip_pool", "node", "service"]);

/** noReferences are fields whose texts name no resource: a zone may be called running. */
const noReferences = new Set(["name", "state", "scope", "scheme", "hostname", "description", "labels"]);

/** texts yields the texts in a value that may be ids. */
function* texts(value) {
  if (typeof value === "string") yield value;
  else if (value && typeof value === "object") for (const [field, part] of Object.entries(value)) if (!noReferences.has(field)) yield* texts(part);
}

const order = new Intl.Collator("en", { numeric: true });

export class Mirror {
  constructor() {
    this.revision = 0;
    this.resources = new Map();
    this.sorted = new Map();
    this.links = () => []; // to what is not of the cloud
  }

  /** load makes the copy that of the cloud as it is. */
  async load() {
    const state = await call("GET", "/_sim/state");
    for (const [place, objects] of Object.entries(state)) {
      if (Array.isArray(objects)) this.resources.set(kindOf(place), new Map(objects.map((object) => [object.id, object])));
    }
    this.sorted.clear();
    this.revision = state.revision;
  }

  /** apply takes an event in, unless the copy has it already, and reports whether it did. */
  apply(event) {
    if (event.revision <= this.revision) return false;
    this.revision = event.revision;
    if (!this.resources.has(event.kind)) this.resources.set(event.kind, new Map());
    const all = this.resources.get(event.kind);
    if (event.type === "deleted") all.delete(event.id);
    else all.set(event.id, event.object);
    this.sorted.delete(event.kind);
    return true;
  }

  get(kind, id) { return this.resources.get(kind)?.get(id); }

  /** list has the resources of a kind by their names. */
  list(kind) {
    if (!this.sorted.has(kind)) {
      const all = [...(this.resources.get(kind)?.values() ?? [])];
      this.sorted.set(kind, all.sort((a, b) => order.compare(a.name ?? "", b.name ?? "") || order.compare(a.id, b.id)));
    }
    return this.sorted.get(kind);
  }

  /** related has what a resource refers to, and what refers to it, as pairs of a kind and an id. Machines are only looked up: there may be many. */
  related(kind, id) {
    const named = new Set(texts(this.get(kind, id)));
    const found = [];
    for (const [other, all] of this.resources) {
      if (notRelated.has(other)) continue;
      const ids = other === "instance" ? [...named].filter((text) => all.has(text)) : [...all.values()].filter((o) => named.has(o.id) || [...texts(o)].includes(id)).map((o) => o.id);
      found.push(...ids.filter((each) => other !== kind || each !== id).map((each) => [other, each]));
    }
    return [...this.links(kind, id), ...found];
  }

  /** nameOf is how people call a resource. */
  nameOf(kind, id) { return this.get(kind, id)?.name || id; }
}

/** matches reports whether a resource, of which more may be known, has each word of what is searched for. */
export function matches(object, search, more = "") {
  if (!search) return true;
  const labels = Object.entries(object.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const addresses = (object.addresses ?? object.vips ?? []).map((a) => a.address);
  const text = [object.id, object.name, object.state, object.zone, object.type, object.project, object.address, object.hostname, more, ...labels, ...addresses].join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
