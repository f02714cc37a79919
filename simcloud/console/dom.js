// What the page is made of. Texts become text nodes and nothing else: no name that
// the cloud holds can be taken for markup.

/** el makes an element. An attribute on… is a listener; one that is false or undefined is left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** byId is the element that the page has under an id. */
export const byId = (id) => document.getElementById(id);

/** setText changes the text of an element only where it differs, which leaves a selection alone. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const nodesOf = new WeakMap();

/**
 * keyed makes the children of parent those of the items, in their order. An item keeps its node by its
 * key, and with it the focus; update brings a node to what its item is.
 */
export function keyed(parent, items, key, make, update = () => {}) {
  const before = nodesOf.get(parent) ?? new Map();
  const now = new Map();
  for (const item of items) {
    const node = before.get(key(item)) ?? make(item);
    now.set(key(item), node);
    update(node, item);
  }
  for (const [id, node] of before) if (!now.has(id)) node.remove();
  let next = parent.firstChild;
  for (const node of now.values()) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  nodesOf.set(parent, now);
}

/** copyable is a line for a shell, with a button that copies it. */
export function copyable(command) {
  const text = el("code", {}, command);
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy: ${command}`, onclick: () => navigator.clipboard?.writeText(text.textContent) }, "copy");
  return el("span", { class: "command" }, text, button);
}

/** shellQuote is a word as a shell takes it. */
export function shellQuote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** counted is how many of something there are, as one says it. */
export const counted = (number, of) => `${number} ${of}${number === 1 ? "" : "s"}`;

/** clockTime is the time of day of a time as JSON has it. */
export function clockTime(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString("en-GB") + "." + String(time.getMilliseconds()).padStart(3, "0");
}
