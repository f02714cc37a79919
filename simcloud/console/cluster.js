// The Kubernetes cluster on the cloud, where whoever made the cloud has made one: its Nodes beside the machines
// that they run on, and the Services beside their load balancers.

import { byId, counted, setText } from "./dom.js";
import { call } from "./session.js";

const period = 1000; // milliseconds between two looks: a stream of its own would take one of a browser's few connections

const wanted = "sim.simcloud.dev/node", named = "sim.simcloud.dev/node-name"; // labels of machines

/** short is a taint without the domain of its key, and without its effect. */
const short = (taint) => taint.replace(/(=true)?:[A-Za-z]+$/, "").replace(/^[^/]*\//, "");

/** nodeLine is how a Node is, as one line. */
export function nodeLine(node) {
  const words = [node.state, node.unschedulable && "cordoned", node.deleting && "being deleted", ...(node.taints ?? []).map(short)];
  return words.filter(Boolean).join(", ");
}

export class Cluster {
  constructor(mirror) {
    this.mirror = mirror;
    this.forget();
    mirror.links = (kind, id) => this.links(kind, id);
  }

  forget() {
    this.attached = false;
    this.trouble = "";
    this.revision = 0;
    this.changes = 0; // of Nodes and Services
    this.joined = null;
    for (const kind of ["node", "service"]) this.mirror.resources.delete(kind);
  }

  /** follow asks what has changed, and hands over the records of it, until the signal ends it. */
  async follow(signal, took) {
    this.forget();
    while (!signal.aborted) {
      const answer = await call("GET", `/console/cluster?after=${this.revision}`);
      if (signal.aborted) return;
      this.take(answer);
      took(answer.records ?? [], Boolean(answer.whole));
      if (this.attached) await new Promise((done) => { setTimeout(done, period); });
      else await new Promise((done) => { signal.addEventListener("abort", done); });
    }
  }

  take({ attached, revision = 0, trouble = "", whole, nodes = [], services = [], records = [] }) {
    Object.assign(this, { attached, revision, trouble });
    if (!attached) return;
    if (whole) {
      this.put("node", new Map(nodes.map((node) => [node.id, node])));
      this.put("service", new Map(services.map((service) => [service.id, service])));
      return;
    }
    for (const record of records) {
      const kind = record.event ? null : record.kind;
      if (!kind) continue;
      const all = this.mirror.resources.get(kind);
      if (record.type === "deleted") all.delete(record.id);
      else all.set(record.id, record[kind]);
      this.put(kind, all);
    }
  }

  put(kind, all) {
    this.mirror.resources.set(kind, all);
    this.mirror.sorted.delete(kind);
    this.changes++;
  }

  /** join finds the machine of each Node: by the id that its provider gave it, else by its name, which is the machine's. */
  join() {
    const machines = this.mirror.list("instance");
    if (this.joined?.machines === machines && this.joined.changes === this.changes) return this.joined;
    const byName = new Map(machines.flatMap((machine) => [[machine.hostname, machine], ...(machine.labels?.[named] ? [[machine.labels[named], machine]] : [])]));
    const nodeOf = new Map(), machineOf = new Map(), without = [];
    for (const node of this.mirror.list("node")) {
      const id = node.providerID?.split("/").at(-1);
      const machine = this.mirror.get("instance", id) ?? byName.get(node.name);
      if (machine && !nodeOf.has(machine.id)) {
        nodeOf.set(machine.id, node);
        machineOf.set(node.id, machine);
      } else {
        without.push(node);
      }
    }
    this.joined = { machines, changes: this.changes, nodeOf, machineOf, without };
    return this.joined;
  }

  nodeOf(machine) { return this.join().nodeOf.get(machine.id); }

  /** lineOf is how the Node of a machine is, as one line. */
  lineOf(machine) {
    const node = this.nodeOf(machine);
    if (node) return nodeLine(node);
    return machine.labels?.[wanted] === "none" ? "no Node wanted" : "no Node";
  }

  /** health is what the Node of a machine that runs makes of it: bad, busy, or nothing. */
  health(machine) {
    const node = this.nodeOf(machine);
    if (machine.state !== "running") return "";
    if (!node) return machine.labels?.[wanted] === "none" ? "" : "busy";
    if (node.state !== "Ready") return "bad";
    return node.taints?.length || node.unschedulable ? "busy" : "";
  }

  /** servicesOf are the Services that a load balancer belongs to. */
  servicesOf(balancer) { return this.mirror.list("service").filter((service) => belongs(balancer, service)); }

  balancersOf(service) { return this.mirror.list("load_balancer").filter((balancer) => belongs(balancer, service)); }

  /** links are what stands for a thing on the other side, as pairs of a kind and an id. */
  links(kind, id) {
    const object = this.attached ? this.mirror.get(kind, id) : undefined;
    if (!object) return [];
    const pairs = (of, objects) => objects.filter(Boolean).map((each) => [of, each.id]);
    return {
      instance: () => pairs("node", [this.nodeOf(object)]), node: () => pairs("instance", [this.join().machineOf.get(id)]),
      load_balancer: () => pairs("service", this.servicesOf(object)), service: () => pairs("load_balancer", this.balancersOf(object)),
    }[kind]?.() ?? [];
  }

  /** show says in one line how the cluster is. */
  show() {
    const nodes = this.attached ? this.mirror.list("node") : [];
    const ready = nodes.filter((node) => node.state === "Ready").length;
    const line = byId("cluster");
    line.className = this.trouble ? "rest failed" : "rest";
    setText(line, !this.attached ? "No Kubernetes cluster is attached to this cloud: simcloud up makes one."
      : this.trouble ? `The Kubernetes cluster does not answer: ${this.trouble}` : `Kubernetes: ${counted(nodes.length, "Node")}, ${ready} ready`);
  }
}

/** belongs reports whether a load balancer is that of a Service: by its address, by what the CCM has labelled it with, or by the name that CCMs give. */
function belongs(balancer, { id, uid, ingress = [] }) {
  const addresses = [balancer.hostname, ...(balancer.vips ?? []).map((vip) => vip.address)].filter(Boolean);
  const labels = Object.entries(balancer.labels ?? {}).flat();
  return ingress.some((address) => addresses.includes(address)) || labels.some((text) => text === uid || text === id || text.endsWith(`/${uid}`))
    || balancer.name === `a${uid.replaceAll("-", "")}`.slice(0, 32);
}
