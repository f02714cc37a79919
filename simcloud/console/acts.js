// What can be done to the cloud from here, each with the command that does the same.

import { copyable, el, shellQuote } from "./dom.js";
import { call } from "./session.js";

/** act is a request and its command line; one that cannot be taken back is asked for twice. */
const act = (label, method, path, command, { body, sure = false } = {}) => ({ label, method, path, command, body, sure });

const instance = (verb, label, more) => (o) => act(label, verb === "delete" ? "DELETE" : "POST",
  `/v1/instances/${encodeURIComponent(o.id)}${verb === "delete" ? "" : `/${verb}`}`, `simcloud instance ${verb} ${shellQuote(o.id)}`, more);
const zone = (verb, state, label) => (o) => act(label, "PUT", `/v1/zones/${encodeURIComponent(o.id)}/state`, `simcloud zone ${verb} ${shellQuote(o.id)}`, { body: { state } });

const start = instance("start", "Start"), stop = instance("stop", "Stop"), reboot = instance("reboot", "Reboot"), destroy = instance("delete", "Delete", { sure: true });
const down = zone("down", "down", "Take down"), degrade = zone("degrade", "degraded", "Degrade"), up = zone("up", "available", "Bring up");

/** actsOn are the acts that a resource can have as it is. */
export function actsOn(kind, object) {
  if (kind === "instance") {
    const running = object.state === "running", stopped = object.state === "stopped" || object.state === "suspended";
    return [...(stopped ? [start] : []), ...(running ? [stop, reboot] : []), destroy].map((of) => of(object));
  }
  if (kind === "zone") {
    return [...(object.state !== "down" ? [down] : []), ...(object.state === "available" ? [degrade] : []), ...(object.state !== "available" ? [up] : [])].map((of) => of(object));
  }
  return [];
}

/** createInstance is the act of a form. */
export function createInstance({ name, type, zone: where }) {
  const body = Object.fromEntries(Object.entries({ name, type, zone: where }).filter(([, value]) => value));
  const flags = [type && `--type ${shellQuote(type)}`, where && `--zone ${shellQuote(where)}`].filter(Boolean).join(" ");
  return act("Create", "POST", "/v1/instances", `simcloud instance create ${shellQuote(name || "NAME")} ${flags}`.trim(), { body });
}

/** addFault is the act that adds a rule. */
export function addFault(rule) {
  const { name, match = {}, when = {}, arm, effect } = rule;
  const flags = { name, ...match, ...when, arm, effect: effect && JSON.stringify(effect) };
  const words = Object.entries(flags).filter(([, value]) => value !== undefined && value !== "").map(([flag, value]) => `--${flag} ${shellQuote(String(value))}`);
  return act("Add", "POST", "/_sim/faults", ["simcloud fault add", ...words].join(" "), { body: rule });
}

export const deleteFault = (rule) => act("Remove", "DELETE", `/_sim/faults/${encodeURIComponent(rule.id)}`, `simcloud fault delete ${shellQuote(rule.name || rule.id)}`);

export function setClock(mode, factor) {
  const word = mode === "scaled" ? `${factor}x` : mode;
  return act("Set", "PUT", "/_sim/clock", `simcloud clock set ${shellQuote(word)}`, { body: mode === "scaled" ? { mode, factor: Number(factor) } : { mode } });
}

export const advanceClock = (by) => act("Advance", "POST", "/_sim/clock/advance", `simcloud clock advance ${shellQuote(by)}`, { body: { by } });

/** perform makes the request of an act and says how it went. */
export async function perform(what, said) {
  try {
    const answer = await call(what.method, what.path, what.body);
    const operation = answer.operation ? `, ${answer.operation.id} ${answer.operation.state}` : "";
    said(`${what.command}: accepted${operation}`, false);
    return answer;
  } catch (problem) {
    said(`${what.command}: ${problem.message}`, true);
    return null;
  }
}

/** button is an act as a button with its command beside it. */
export function button(what, said) {
  let sure = !what.sure;
  const node = el("button", { type: "button", class: what.sure ? "danger" : "", "data-act": what.label, onclick: () => {
    if (sure) return perform(what, said);
    sure = true;
    node.textContent = `${what.label}? Press again`;
    return null;
  }, onblur: () => { sure = !what.sure; node.textContent = what.label; } }, what.label);
  return el("li", { class: "act" }, node, copyable(what.command));
}
