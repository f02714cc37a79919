// The token of the page's user, and calls of the cloud with it.

const storageKey = "simcloud-token";
const run = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
let calls = 0;

/** ownPrefix begins the request ids of this console's calls, by which the stream of calls tells them from others. */
export const ownPrefix = "console-";

/** Problem is what the cloud answers instead of what was asked for. */
export class Problem extends Error {
  constructor(status, body) {
    const fields = (body.errors ?? []).map((e) => `${e.field}: ${e.detail}`).join("; ");
    super([body.detail ?? body.title ?? `status ${status}`, fields].filter(Boolean).join(": "));
    this.status = status;
    this.code = body.code;
  }
}

/**
 * takeToken moves the token of a link out of the address, where the history and whoever looks
 * on would have it, to what this tab alone remembers of this origin.
 */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return false;
  setToken(token);
  history.replaceState(null, "", location.pathname);
  return true;
}

export const setToken = (token) => sessionStorage.setItem(storageKey, token);
export const forgetToken = () => sessionStorage.removeItem(storageKey);
export const hasToken = () => sessionStorage.getItem(storageKey) !== null;

function request(method, path, body, signal) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(storageKey)}`, "Simcloud-Request-Id": `${ownPrefix}${run}-${++calls}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "omit", cache: "no-store" });
}

async function refused(response) {
  const body = await response.json().catch(() => ({}));
  return new Problem(response.status, body);
}

/** call makes a call and returns what it answers. */
export async function call(method, path, body) {
  const response = await request(method, path, body);
  if (!response.ok) throw await refused(response);
  return response.json();
}

/** stream yields the messages of a stream until the signal ends it, or the cloud does. */
export async function* stream(path, signal) {
  const response = await request("GET", path, undefined, signal);
  if (!response.ok) throw await refused(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop();
    const parsed = messages.map(parse).filter((message) => message.data !== "");
    for (const message of parsed) {
      if (message.event === "problem") throw new Problem(0, JSON.parse(message.data));
    }
    if (parsed.length > 0) yield parsed.map((message) => JSON.parse(message.data));
  }
}

/** parse reads a message of server-sent events; a sign of life has no data. */
function parse(text) {
  const message = { event: "", data: "" };
  for (const line of text.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) message[line.slice(0, at)] = line.slice(at + 2);
  }
  return message;
}
