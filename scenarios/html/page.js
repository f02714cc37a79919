"use strict";

document.documentElement.classList.add("script");

const laneOrder = document.body.dataset.lanes.split(" ");
const timelines = new Map();

// timelineOf makes the timeline of a scenario when it is first looked at.
function timelineOf(scenario) {
  if (timelines.has(scenario)) return timelines.get(scenario);
  const data = document.getElementById(scenario.dataset.timeline);
  const made = data && new Timeline(scenario.querySelector(".timeline"), JSON.parse(data.textContent), Number(scenario.dataset.seconds));
  timelines.set(scenario, made);
  return made;
}

const scenarios = [...document.querySelectorAll("details.scenario")];
for (const scenario of scenarios) {
  scenario.addEventListener("toggle", () => { if (scenario.open) timelineOf(scenario); });
  if (scenario.open) timelineOf(scenario);
  for (const button of scenario.querySelectorAll(".locate")) {
    button.addEventListener("click", () => timelineOf(scenario)?.locate(Number(button.dataset.from), Number(button.dataset.to)));
  }
}

// filterScenarios hides those that are not asked for.
function filterScenarios() {
  const text = document.getElementById("page-search").value.trim().toLowerCase();
  const statuses = new Set([...document.querySelectorAll(".status:checked")].map((box) => box.value));
  for (const scenario of scenarios) {
    const said = [scenario.querySelector("summary"), ...scenario.querySelectorAll(".failure h3")].map((part) => part.textContent).join(" ");
    scenario.hidden = !statuses.has(scenario.dataset.status) || !said.toLowerCase().includes(text);
  }
  document.getElementById("page-none").hidden = scenarios.some((scenario) => !scenario.hidden);
}
document.getElementById("page-search").addEventListener("input", filterScenarios);
for (const box of document.querySelectorAll(".status")) box.addEventListener("change", filterScenarios);

document.getElementById("page-theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

// openNamed opens the scenario that the address names.
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.classList.contains("scenario")) return;
  named.open = true;
  named.scrollIntoView();
}
addEventListener("hashchange", openNamed);
openNamed();
