// The console: it reads the state of the cloud once, and follows it by the streams of its events and of its
// calls. It asks for nothing again and again: what has no stream is read again when a call tells of a change.

import { createInstance, perform } from "./acts.js";
import { Cluster } from "./cluster.js";
import { Detail } from "./detail.js";
import { byId, copyable, el, setText } from "./dom.js";
import { Faults } from "./faults.js";
import { Log } from "./log.js";
import { Machines } from "./machines.js";
import { Mirror } from "./mirror.js";
import { call, forgetToken, hasToken, setToken, stream, takeToken } from "./session.js";
import { Tables } from "./tables.js";
import { Time } from "./time.js";
import { Timeline } from "./timeline.js";

const earlier = 300; // calls and events of before that are shown
const most = 5000; // milliseconds between two attempts to connect

const said = (text, failed) => {
  const box = byId("said");
  box.className = failed ? "failed" : "";
  setText(box, text);
};

const mirror = new Mirror();
const open = (kind, id) => detail.openResource(kind, id, mirror);
const cluster = new Cluster(mirror);
const machines = new Machines(open, cluster);
const tables = new Tables(open, cluster);
const log = new Log((entry) => detail.openEntry(entry));
const detail = new Detail(log, said, cluster);
new Timeline(log, (entry) => detail.openEntry(entry));
detail.open = open;
const faults = new Faults(said);
const time = new Time(said);

// What has changed is drawn once for each frame, whatever number of events came.
const stale = { cloud: false, log: false };
let drawing = false;
function draw(...what) {
  for (const part of what) stale[part] = true;
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (stale.cloud) {
      cluster.show();
      machines.show(mirror, byId("search").value.trim());
      tables.show(mirror, byId("search").value.trim());
    }
    if (stale.log) log.draw();
    detail.update(mirror);
    stale.cloud = stale.log = false;
  });
}

// once calls fn a moment after the first of a burst.
function once(fn, wait) {
  let timer = null;
  return () => {
    timer ??= setTimeout(() => { timer = null; fn().catch((problem) => said(problem.message, true)); }, wait);
  };
}
const reloadFaults = once(() => faults.load(), 300);
const reloadTime = once(() => time.load(), 300);

function tookCalls(calls, live) {
  log.addCalls(calls, live);
  if (live && calls.some((c) => c.fault || /Fault|^Reset$/.test(c.operation))) reloadFaults();
  if (live && calls.some((c) => /^(SetClock|AdvanceClock|UpdateConfig|Reset)$/.test(c.operation))) reloadTime();
  draw("log");
}

function tookEvents(events) {
  const before = mirror.revision;
  let changed = false;
  for (const event of events) changed = mirror.apply(event) || changed;
  log.addEvents(events.filter((event) => event.revision <= before), false);
  log.addEvents(events.filter((event) => event.revision > before), true);
  draw("log", ...(changed ? ["cloud"] : []));
}

let troubled = null;
function tookRecords(records, whole) {
  log.follows(cluster.attached);
  log.addRecords(records, whole);
  const changed = whole || troubled !== cluster.trouble || records.some((record) => !record.event);
  troubled = cluster.trouble;
  draw(...(records.length > 0 ? ["log"] : []), ...(changed || !cluster.attached ? ["cloud"] : []));
}

const seen = { call: 0, event: 0 };

async function followEvents(signal) {
  const after = Math.max(seen.event, mirror.revision - earlier, 0);
  try {
    for await (const events of stream(`/_sim/events?after=${after}`, signal)) {
      tookEvents(events);
      seen.event = mirror.revision;
    }
  } catch (problem) {
    if (problem.code === "conflict") seen.event = mirror.revision; // the cloud no longer has what came before
    throw problem;
  }
}

async function followCalls(signal) {
  // The page has just read the clock, which hardly anyone else does: the last such call is about where the journal is.
  const newest = (await call("GET", "/_sim/journal?operation=GetClock")).revision;
  if (seen.call > newest) seen.call = 0; // the cloud has started again, and with it the numbers
  const after = Math.max(seen.call, newest - earlier, 0);
  for await (const calls of stream(`/_sim/journal/events?after=${after}`, signal)) {
    tookCalls(calls.filter((c) => c.seq <= newest), false);
    tookCalls(calls.filter((c) => c.seq > newest), true);
    seen.call = calls.at(-1).seq;
  }
}

function live(text, state) {
  setText(byId("live"), text);
  byId("live").className = state;
}

// follow reads all there is and follows it until one of the streams ends.
async function follow(signal) {
  await mirror.load();
  draw("cloud", "log");
  await Promise.all([faults.load(), time.load()]);
  live("live", "good");
  const streams = new AbortController();
  const either = AbortSignal.any([signal, streams.signal]);
  try {
    await Promise.race([followEvents(either), followCalls(either), cluster.follow(either, tookRecords)]);
  } finally {
    streams.abort();
  }
}

let connection = null;

/** connect follows the cloud for as long as the tab is seen: a browser has few connections for all tabs of an origin. */
async function connect() {
  connection?.abort();
  const mine = connection = new AbortController();
  let wait = 250;
  while (!mine.signal.aborted) {
    try {
      await follow(mine.signal);
      wait = 250;
    } catch (problem) {
      if (mine.signal.aborted) return;
      if (problem.status === 401 || problem.status === 403) return logOut(problem.message);
    }
    if (mine.signal.aborted) return;
    live("the cloud does not answer: trying again", "bad");
    await new Promise((done) => { setTimeout(done, wait); });
    wait = Math.min(wait * 2, most);
  }
}

function logOut(message) {
  forgetToken();
  byId("main").hidden = true;
  byId("login").hidden = false;
  setText(byId("login-error"), message);
  live("not connected", "bad");
  byId("login-token").focus();
}

function logIn() {
  byId("login").hidden = true;
  byId("main").hidden = false;
  connect();
}

function createForm() {
  const command = copyable("");
  const select = (name) => el("select", { name, onchange: () => show() }, el("option", { value: "" }, "any"));
  const type = select("type"), zone = select("zone");
  const name = el("input", { name: "name", required: true, autocomplete: "off", spellcheck: "false", oninput: () => show() });
  const form = el("form", { onsubmit: (event) => { event.preventDefault(); perform(read(), said); } },
    el("label", {}, "Name ", name), el("label", {}, "Type ", type), el("label", {}, "Zone ", zone), el("button", {}, "Create"), command);
  const read = () => createInstance(Object.fromEntries(new FormData(form)));
  const show = () => setText(command.firstChild, read().command);
  const choices = (box, kind) => box.replaceChildren(box.firstChild, ...mirror.list(kind).map((o) => el("option", { value: o.id }, o.name)));
  byId("create").append(form);
  byId("create").addEventListener("toggle", () => { choices(type, "instance_type"); choices(zone, "zone"); });
  show();
}

createForm();
byId("search").addEventListener("input", () => draw("cloud"));
byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(byId("login-token").value.trim());
  byId("login-token").value = "";
  logIn();
});
addEventListener("hashchange", () => { if (takeToken()) logIn(); });
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !byId("detail").hidden) detail.close();
  if (event.key === "/" && !event.target.matches("input, select, textarea")) { event.preventDefault(); byId("search").focus(); }
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) connection?.abort();
  else if (hasToken()) connect();
});
takeToken();
if (hasToken()) logIn();
else logOut("");
