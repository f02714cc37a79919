// Zones and their machines, as tiles. Only the tiles that are seen are in the page: a
// cloud may have many thousands.

import { nodeLine } from "./cluster.js";
import { byId, counted, el, keyed, setText } from "./dom.js";
import { matches } from "./mirror.js";

const tile = { width: 168, height: 46, withNode: 62, gap: 6 };
const header = 40;
const spare = 200; // pixels above and below what is seen
const inOrder = { running: "good", pending: "busy", stopping: "busy", rebooting: "busy", rebuilding: "busy", migrating: "busy", terminating: "busy", error: "bad" };

export class Machines {
  /** open shows a resource; the cluster has the machines' Nodes. */
  constructor(open, cluster) {
    this.open = open;
    this.cluster = cluster;
    this.box = byId("grid");
    this.space = byId("grid-space");
    this.rows = [];
    this.places = new Map();
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.layout()).observe(this.box);
  }

  /** show takes the machines of a mirror that match a search. */
  show(mirror, search) {
    const zones = new Map(mirror.list("zone").map((zone) => [zone.id, { zone, machines: [] }]));
    let shown = 0;
    for (const machine of mirror.list("instance")) {
      if (!matches(machine, search, this.cluster.attached ? this.cluster.lineOf(machine) : "")) continue;
      if (!zones.has(machine.zone)) zones.set(machine.zone, { zone: { id: machine.zone, name: machine.zone, state: "" }, machines: [] });
      zones.get(machine.zone).machines.push(machine);
      shown++;
    }
    this.zones = [...zones.values()];
    const without = this.cluster.attached ? this.cluster.join().without.filter((node) => matches(node, search, nodeLine(node))) : [];
    if (without.length > 0) this.zones.push({ zone: { id: "", name: "Nodes without a machine", state: "" }, machines: without.map((node) => ({ id: `node/${node.id}`, name: node.name, node })) });
    const all = mirror.list("instance").length;
    setText(byId("machines-count"), shown === all ? `${all}` : `${shown} of ${all}`);
    this.layout();
  }

  /** layout says where everything goes, for the width that there is. */
  layout() {
    if (!this.zones) return;
    const width = this.box.clientWidth - tile.gap;
    this.height = this.cluster.attached ? tile.withNode : tile.height;
    this.box.classList.toggle("with-nodes", this.cluster.attached);
    this.columns = Math.max(1, Math.floor(width / (tile.width + tile.gap)));
    this.rows = [];
    this.machines = [];
    this.places.clear();
    let top = 0;
    for (const { zone, machines } of this.zones) {
      this.rows.push({ top, zone, machines });
      top += header;
      for (let i = 0; i < machines.length; i += this.columns) {
        const row = { top, tiles: machines.slice(i, i + this.columns) };
        row.tiles.forEach((machine, column) => {
          this.places.set(machine.id, { index: this.machines.length, top, left: column * (tile.width + tile.gap), down: zone.state === "down" });
          this.machines.push(machine);
        });
        this.rows.push(row);
        top += this.height + tile.gap;
      }
    }
    this.space.style.height = `${top}px`;
    this.draw();
  }

  /** draw puts what is seen, and the tile that has the focus, into the page. */
  draw() {
    const from = this.box.scrollTop - spare, until = this.box.scrollTop + this.box.clientHeight + spare;
    const seen = this.rows.filter((row) => row.top + this.height >= from && row.top <= until);
    const items = seen.flatMap((row) => (row.zone ? [row] : row.tiles));
    const focused = this.machines.find((machine) => machine.id === document.activeElement?.dataset?.machine);
    if (focused && !items.includes(focused)) items.push(focused);
    keyed(this.space, items, (item) => (item.zone?.id !== undefined ? `zone/${item.zone.id}` : `machine/${item.id}`),
      (item) => (item.zone?.id !== undefined ? this.makeHeader(item.zone) : this.makeTile(item)),
      (node, item) => (item.zone?.id !== undefined ? this.updateHeader(node, item) : this.updateTile(node, item)));
  }

  makeHeader(zone) {
    return el("h3", { class: "zone" }, el("button", { type: "button", onclick: () => { if (zone.id) this.open("zone", zone.id); } }), " ", el("span", { class: "state" }), " ", el("span", { class: "count" }));
  }

  updateHeader(node, { top, zone, machines }) {
    const [name, state, count] = node.children;
    node.style.transform = `translateY(${top}px)`;
    setText(name, zone.name);
    setText(state, zone.state);
    state.className = `state ${{ down: "bad", degraded: "busy" }[zone.state] ?? "good"}`;
    setText(count, zone.id || machines.some((machine) => !machine.node) ? this.count(machines) : counted(machines.length, "Node"));
  }

  /** count says how many machines there are, and how they and their Nodes are. */
  count(machines) {
    const running = machines.filter((machine) => machine.state === "running").length;
    const text = `${counted(machines.length, "machine")}, ${running} running`;
    if (!this.cluster.attached) return text;
    const nodes = machines.map((machine) => this.cluster.nodeOf(machine)).filter(Boolean);
    return `${text}; ${counted(nodes.length, "Node")}, ${nodes.filter((node) => node.state === "Ready").length} ready`;
  }

  makeTile(machine) {
    return el("button", { type: "button", class: "tile", "data-machine": machine.id, onclick: () => (machine.node ? this.open("node", machine.node.id) : this.open("instance", machine.id)) },
      el("span", { class: "name" }), el("span", { class: "state" }), el("span", { class: "node" }));
  }

  updateTile(node, machine) {
    const place = this.places.get(machine.id);
    node.style.transform = `translate(${place.left}px, ${place.top}px)`;
    if (machine.node) return this.updateNode(node, machine.node);
    const state = place.down ? `${machine.state}, zone down` : machine.state;
    const line = this.cluster.attached ? this.cluster.lineOf(machine) : "";
    const health = this.cluster.attached ? this.cluster.health(machine) : "";
    node.className = `tile ${place.down ? "bad" : health || (inOrder[machine.state] ?? "off")}`;
    setText(node.children[0], machine.name || machine.id);
    setText(node.children[1], `${machine.id} ${state}`);
    setText(node.children[2], line);
    node.setAttribute("aria-label", [machine.name, machine.id, state, line && `Node: ${line}`].filter(Boolean).join(", "));
    node.title = [machine.name, `${machine.id} ${machine.type}`, ...(machine.addresses ?? []).map((a) => a.address), ...(this.cluster.attached ? this.cluster.nodeOf(machine)?.taints ?? [] : [])].join("\n");
    return undefined;
  }

  /** updateNode shows a Node that has no machine. */
  updateNode(node, { name, providerID, taints = [], ...rest }) {
    const line = nodeLine({ taints, ...rest });
    node.className = "tile bad";
    setText(node.children[0], name);
    setText(node.children[1], "no machine");
    setText(node.children[2], line);
    node.setAttribute("aria-label", `Node ${name}, no machine, ${line}`);
    node.title = [name, providerID ?? "no provider ID", ...taints].join("\n");
  }

  /** key moves the focus from machine to machine. */
  key(event) {
    const place = this.places.get(document.activeElement?.dataset?.machine);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns, Home: -Infinity, End: Infinity }[event.key];
    if (!place || step === undefined) return;
    event.preventDefault();
    const index = Math.min(Math.max(place.index + step, 0), this.machines.length - 1);
    this.focus(this.machines[index].id);
  }

  focus(id) {
    const place = this.places.get(id);
    if (!place) return;
    const { scrollTop, clientHeight } = this.box;
    if (place.top < scrollTop) this.box.scrollTop = place.top - header;
    else if (place.top + this.height > scrollTop + clientHeight) this.box.scrollTop = place.top + this.height + tile.gap - clientHeight;
    this.draw();
    [...this.space.children].find((node) => node.dataset.machine === id)?.focus({ preventScroll: true });
  }
}
