// What the cloud has besides machines, a table for each kind.

import { byId, el, keyed, setText } from "./dom.js";
import { matches } from "./mirror.js";

/** most is how many rows of a table are in the page; a search finds the others. */
const most = 200;

const healthClass = { healthy: "good", unhealthy: "bad", unknown: "busy" };
const stateClass = {
  error: "bad", failed: "bad", blackhole: "bad", down: "bad", provisioning: "busy", updating: "busy", deleting: "busy", creating: "busy", attaching: "busy",
  detaching: "busy", running: "busy", pending: "busy", degraded: "busy",
};

const state = (text) => el("span", { class: `state ${stateClass[text] ?? "good"}` }, text ?? "");
const list = (items) => el("ul", {}, ...items.map((item) => el("li", {}, item)));
const attached = (object, mirror) => {
  const to = object.attachedTo;
  if (!to || (typeof to === "object" && !to.id)) return "";
  return typeof to === "string" ? mirror.nameOf("instance", to) : mirror.nameOf(to.kind, to.id);
};

function listeners(balancer) {
  return list(balancer.listeners.map((l) => `${l.protocol} ${l.port} → ${l.targetGroup ?? l.targetPort}`));
}

function targets(of, mirror) {
  return list((of.targets ?? []).map((t) => {
    const port = t.port ? `:${t.port}` : "";
    return el("span", {}, `${t.instance ? mirror.nameOf("instance", t.instance) : t.address}${port} `, el("span", { class: `state ${healthClass[t.health] ?? "off"}` }, t.health));
  }));
}

function rule(r) {
  const ports = r.fromPort || r.toPort ? `${r.fromPort ?? 0}–${r.toPort ?? ""}` : "all ports";
  return `${r.direction ?? "ingress"} ${r.protocol ?? "all"} ${ports} ${r.cidr ?? r.group ?? ""}`;
}

const routes = (mirror) => mirror.list("route_table").flatMap((table) => table.routes.map((route) => ({
  ...route, id: `${table.id}/${route.id}`, opens: ["route_table", table.id], name: route.destination, table: table.name,
})));
const underWay = (mirror) => mirror.list("operation").filter((operation) => operation.state !== "done").toReversed();
const hop = (route, mirror) => (route.nextHop.instance ? mirror.nameOf("instance", route.nextHop.instance) : route.nextHop.address ?? "");

/** buttons are links to other things. */
const buttons = (kind, objects, open) => list(objects.map((o) => el("button", { type: "button", class: "link", "data-id": o.id, onclick: () => open(kind, o.id) }, o.name)));

/** clustered are the tables of a cloud with a cluster: the load balancers with their Services, and those with them. */
const clustered = ([balancers, ...others], cluster, open) => [
  { ...balancers, columns: { Service: (o) => buttons("service", cluster.servicesOf(o), open), ...balancers.columns } },
  { kind: "service", title: "Services of type LoadBalancer", always: true, columns: {
    Addresses: (o) => list(o.ingress ?? []), Ports: (o) => list(o.ports ?? []), "Load balancer": (o) => buttons("load_balancer", cluster.balancersOf(o), open), State: (o) => (o.deleting ? state("deleting") : "") } },
  ...others];

/** tables are what is shown: columns are names, and what of an object stands there. Those that are always shown say when there are none. */
const tables = [
  { kind: "load_balancer", title: "Load balancers", always: true, columns: {
    State: (o) => state(o.state), Addresses: (o) => list([...o.vips.map((vip) => vip.address), ...(o.hostname ? [o.hostname] : [])]), Listeners: listeners, Targets: targets } },
  { kind: "target_group", title: "Target groups", columns: {
    "Load balancer": (o, m) => (o.loadBalancer ? m.nameOf("load_balancer", o.loadBalancer) : ""), Port: (o) => `${o.protocol} ${o.port}`, Targets: targets } },
  { kind: "floating_ip", title: "Floating IPs", always: true, columns: { State: (o) => state(o.state), Address: (o) => o.address, "Attached to": attached } },
  { kind: "route", title: "Routes", always: true, of: routes, columns: { "Next hop": hop, State: (o) => state(o.state), Table: (o) => o.table } },
  { kind: "volume", title: "Volumes", always: true, columns: {
    State: (o) => state(o.state), Size: (o) => `${o.sizeGiB} GiB`, Zone: (o) => o.zone, "Attached to": attached } },
  { kind: "security_group", title: "Security groups", always: true, columns: { Network: (o, m) => (o.network ? m.nameOf("network", o.network) : ""), Rules: (o) => list(o.rules.map(rule)) } },
  { kind: "operation", title: "Operations under way, or failed", of: underWay, columns: {
    State: (o) => state(o.state), About: (o) => `${o.resource?.kind ?? ""}/${o.resource?.id ?? ""}`, Progress: (o) => `${o.progress} %`, Error: (o) => o.error ?? "" } },
  { kind: "network", title: "Networks", columns: { State: (o) => state(o.state), Ranges: (o) => list(o.cidrs ?? []) } },
  { kind: "subnet", title: "Subnets", columns: { Network: (o, m) => m.nameOf("network", o.network), Range: (o) => o.cidr ?? "" } },
];

/** elsewhere are kinds that are shown in another way, or that say nothing to who looks on. */
const elsewhere = new Set(["instance", "zone", "region", "instance_type", "route_table", "floating_ip_pool", "token", "project", "quota", "node", "service"]);

/** titleOf is the title of a table without one of its own, from its kind: "SSH keys" of ssh_key. */
function titleOf(kind) {
  const words = kind.split("_").map((word) => (["dns", "ip", "ssh", "vpn"].includes(word) ? word.toUpperCase() : word)).join(" ");
  const plural = words.replace(/([^aeiou])y$/, "$1ie").replace(/(s|x|ch|sh)$/, "$1e");
  return `${plural[0].toUpperCase()}${plural.slice(1)}s`;
}

/** othersOf makes tables of the kinds that have no table of their own: a kind that the cloud has learned since is shown too. */
function othersOf(mirror) {
  const known = new Set(tables.map((table) => table.kind));
  return [...mirror.resources.keys()].filter((kind) => !known.has(kind) && !elsewhere.has(kind)).map((kind) => ({ kind, title: titleOf(kind), columns: { State: (o) => (o.state ? state(o.state) : "") } }));
}

export class Tables {
  constructor(open, cluster) {
    this.open = open;
    this.cluster = cluster;
    this.ofCluster = clustered(tables, cluster, open);
    this.seen = new Map();
  }

  /** show takes what matches a search out of a mirror. */
  show(mirror, search) {
    const shown = [...(this.cluster.attached ? this.ofCluster : tables), ...othersOf(mirror)].map((table) => ({ table, all: table.of ? table.of(mirror) : mirror.list(table.kind) })).filter(({ table, all }) => table.always || all.length > 0);
    keyed(byId("tables"), shown, ({ table }) => `${table.kind}/${Object.keys(table.columns).length}`, ({ table }) => makeTable(table), (node, item) => this.update(node, item, mirror, search));
  }

  update(node, { table, all }, mirror, search) {
    const found = all.filter((object) => matches(object, search));
    const shown = found.slice(0, most);
    setText(node.querySelector(".count"), found.length === all.length ? `${all.length}` : `${found.length} of ${all.length}`);
    const rest = found.length - shown.length;
    setText(node.querySelector(".rest"), rest > 0 ? `${rest} more: search for them` : all.length === 0 ? "none" : "");
    node.querySelector(".wide").hidden = shown.length === 0;
    keyed(node.querySelector("tbody"), shown, (object) => object.id, (object) => this.makeRow(table, object), (row, object) => updateRow(row, table, object, mirror));
  }

  makeRow(table, object) {
    const [kind, id] = object.opens ?? [table.kind, object.id];
    return el("tr", {}, el("th", { scope: "row" }, el("button", { type: "button", class: "link", onclick: () => this.open(kind, id) })), ...Object.keys(table.columns).map(() => el("td")));
  }
}

function makeTable(table) {
  const title = `${table.kind}-title`;
  return el("section", { "aria-labelledby": title },
    el("h2", { id: title }, `${table.title} `, el("span", { class: "count" })),
    el("div", { class: "wide", tabindex: "0", role: "group", "aria-labelledby": title }, el("table", { "aria-labelledby": title },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Name"), ...Object.keys(table.columns).map((name) => el("th", { scope: "col" }, name)))), el("tbody"))),
    el("p", { class: "rest" }));
}

/** updateRow makes the cells again only of what has changed: targets have names, which their row does not have. */
function updateRow(row, table, object, mirror) {
  const [name, ...cells] = row.children;
  setText(name.firstChild, object.name || object.id);
  const made = Object.values(table.columns).map((of) => of(object, mirror));
  cells.forEach((cell, i) => {
    if (typeof made[i] === "string") setText(cell, made[i]);
    else if (!cell.firstChild?.isEqualNode(made[i])) cell.replaceChildren(made[i]);
  });
}
