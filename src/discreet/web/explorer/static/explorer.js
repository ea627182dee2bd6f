// What buttons and links do without a script, made quicker: drag and drop of dimensions, and where the focus goes after
// a part of the page was replaced. Every step can be taken with the keyboard alone, and without this script.

let dragged = null;

const zoneOf = (target) => (target instanceof Element ? target.closest(".zone") : null);

document.addEventListener("dragstart", (event) => {
  const chip = event.target instanceof Element ? event.target.closest(".chip") : null;
  if (!chip || !event.dataTransfer) return;
  dragged = chip;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", chip.dataset.name ?? "");
});

document.addEventListener("dragover", (event) => {
  const zone = dragged && zoneOf(event.target);
  if (!zone) return;
  event.preventDefault();
  for (const other of document.querySelectorAll(".zone")) other.classList.toggle("over", other === zone);
});

document.addEventListener("drop", (event) => {
  const zone = dragged && zoneOf(event.target);
  if (!zone) return;
  event.preventDefault();
  dragged.querySelector(`button[data-zone="${zone.dataset.zone}"]`)?.click();
});

document.addEventListener("dragend", () => {
  dragged = null;
  for (const zone of document.querySelectorAll(".zone")) zone.classList.remove("over");
});

// htmx keeps the focus on an element whose id is still there. A button that went away leaves it to its dimension.
let lastFocused = "";
const openFilters = new Set();
document.addEventListener("htmx:beforeSwap", () => {
  lastFocused = document.activeElement?.id ?? "";
  openFilters.clear();
  for (const details of document.querySelectorAll("#builder details[open]")) openFilters.add(details.id);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of openFilters) document.getElementById(id)?.setAttribute("open", "");
  if (document.activeElement && document.activeElement !== document.body) return;
  const number = /-(\d+)/.exec(lastFocused)?.[1];
  const target = document.getElementById(lastFocused) ?? document.getElementById(`chip-${number}`);
  target?.focus();
});

// An answer that is an error still replaces the page: it says what to do.
document.addEventListener("htmx:responseError", (event) => {
  const address = event.detail?.pathInfo?.finalRequestPath;
  if (address) window.location.assign(address);
});
