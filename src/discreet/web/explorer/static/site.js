// The tables of a site without a server: a published table and its margins, pivoted and narrowed in the browser.
// Numbers come from TABLE.json, as published; nothing is added up here. The address of the page is the table.

const view = document.getElementById("view");
const texts = JSON.parse(view.dataset.texts);
const tables = JSON.parse(view.dataset.tables);
const language = document.documentElement.lang;
const numbers = new Intl.NumberFormat(language);
const zones = ["rows", "columns", "out"];
const cache = new Map();
let state = { table: "", rows: [], columns: [], keep: new Map(), intervals: true };

const text = (name, values = {}) => Object.entries(values).reduce((all, [key, value]) => all.replace(`{${key}}`, value), texts[name]);

function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

async function table(name) {
  if (!cache.has(name)) {
    const answer = await fetch(`${encodeURIComponent(name)}.json`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    const own = await answer.json();
    for (const dimension of [...own.dimensions, ...own.keep]) {
      dimension.name = dimension.name[language];
      dimension.categories = dimension.categories.map((names) => ({ name: names[language] }));
    }
    cache.set(name, own);
  }
  return cache.get(name);
}

// The address and back: rows, columns and keep hold numbers of dimensions and of categories.
function fromAddress() {
  const query = new URLSearchParams(location.search);
  const shown = tables.filter((own) => own.shown);
  const chosen = shown.find((own) => own.name === query.get("table")) ?? shown[0];
  if (!chosen) return false;
  const list = (name) => (query.get(name) ?? "").split(",").filter(Boolean).map(Number)
    .filter((number) => Number.isInteger(number) && number >= 0 && number < chosen.dimensions);
  let rows = [...new Set(list("rows"))];
  const columns = [...new Set(list("columns"))].filter((number) => !rows.includes(number));
  if (!query.has("rows") && !query.has("columns")) {
    rows = [...Array(chosen.dimensions).keys()];
    if (rows.length > 1) columns.push(rows.pop());
  }
  const keep = new Map();
  for (const part of query.getAll("keep")) {
    const [number, ...categories] = part.split(",").map(Number);
    if (number < chosen.dimensions && categories.every((own) => Number.isInteger(own))) keep.set(number, new Set(categories));
  }
  state = { table: chosen.name, rows, columns, keep, intervals: query.get("intervals") !== "off" };
  return true;
}

function toAddress() {
  const query = new URLSearchParams({ table: state.table, rows: state.rows.join(","), columns: state.columns.join(",") });
  for (const [number, categories] of state.keep) query.append("keep", [number, ...categories].join(","));
  if (!state.intervals) query.set("intervals", "off");
  return `?${query}`;
}

async function change(next, focus) {
  state = { ...state, ...next };
  history.pushState(null, "", toAddress());
  await show();
  const target = document.getElementById(focus);
  (target ?? document.getElementById(focus?.replace(/^\w+/, "chip")))?.focus();
}

function move(number, zone) {
  const without = (list) => list.filter((own) => own !== number);
  const next = { rows: without(state.rows), columns: without(state.columns) };
  if (zone !== "out") next[zone] = [...next[zone], number];
  return change(next, `${zone}-${number}`);
}

function keepCategory(number, category, isKept, size) {
  const keep = new Map(state.keep);
  const own = new Set(keep.get(number) ?? []);
  if (isKept) own.add(category);
  else own.delete(category);
  if (own.size && own.size < size) keep.set(number, own);
  else keep.delete(number);
  return change({ keep }, `keep-${number}-${category}`);
}

function chip(dimension, number, zone) {
  const kept = state.keep.get(number);
  const label = { rows: "to_rows", columns: "to_columns", out: "take_out" };
  const buttons = zones.filter((other) => other !== zone).map((other) =>
    element("button", { type: "button", class: "plain", id: `${other}-${number}`, "data-zone": other, onclick: () => move(number, other) },
      text(label[other]), element("span", { class: "hidden-text" }, ` ${dimension.name}`)));
  const boxes = dimension.categories.map((category, index) =>
    element("label", { class: "choice" },
      element("input", { type: "checkbox", id: `keep-${number}-${index}`, checked: kept?.has(index) ?? false,
        onchange: (event) => keepCategory(number, index, event.target.checked, dimension.categories.length) }), ` ${category.name}`));
  const filter = zone === "out" ? [] : [element("details", { open: Boolean(kept) },
    element("summary", {}, kept ? text("filtered", { kept: numbers.format(kept.size) }) : text("filter"),
      element("span", { class: "hidden-text" }, ` ${dimension.name}`)),
    element("div", { class: "list", role: "group", "aria-label": text("filter_of", { name: dimension.name }) }, ...boxes))];
  return element("div", { class: "chip", id: `chip-${number}`, tabindex: "-1", draggable: "true",
    ondragstart: (event) => { event.dataTransfer.setData("text/plain", String(number)); } },
  element("div", { class: "row" }, element("span", { class: "name" }, dimension.name)),
  element("div", { class: "row" }, ...buttons), ...filter);
}

// All combinations of the categories of some dimensions that are kept.
function combinations(own, dimensions) {
  return dimensions.reduce((all, number) => {
    const kept = state.keep.get(number);
    const indices = own.dimensions[number].categories.map((_, index) => index).filter((index) => !kept || kept.has(index));
    return all.flatMap((one) => indices.map((index) => [...one, index]));
  }, [[]]);
}

// A function that gives the numbers of a cell, from the published margin with these dimensions.
function reader(own, dimensions) {
  const sorted = [...dimensions].sort((a, b) => a - b);
  const margin = own.margins.find((other) => other.axes.join() === sorted.join());
  if (!margin) return null;
  return (cell) => {
    const at = sorted.reduce((index, number) => index * own.dimensions[number].categories.length + cell.get(number), 0);
    return { count: margin.count[at], low: margin.low[at], high: margin.high[at] };
  };
}

function cellOf({ count, low, high }, isTotal) {
  const isNoisy = high === null || high - low > 2 * count;
  const cell = element("td", { class: `n${isNoisy ? " noisy" : ""}${isTotal ? " total" : ""}` }, element("span", {}, numbers.format(count)));
  if (state.intervals) {
    const interval = high === null ? text("or_more", { low: numbers.format(low) }) : `${numbers.format(low)}\u2013${numbers.format(high)}`;
    cell.append(element("small", {}, interval));
  }
  return cell;
}

const named = (own, dimensions, cell) => dimensions.map((number, index) => own.dimensions[number].categories[cell[index]].name).join(", ");
const mapped = (dimensions, cell) => new Map(dimensions.map((number, index) => [number, cell[index]]));

function grid(own) {
  const { rows, columns } = state;
  const read = reader(own, [...rows, ...columns]);
  if (!read) return element("div", { class: "message error", role: "alert" }, element("p", { class: "heading" }, text("no_table")), element("p", {}, text("site_unpublished")));
  const isWhole = (dimensions) => dimensions.every((number) => !state.keep.has(number));
  const ofRow = columns.length && isWhole(columns) ? reader(own, rows) : null;
  const ofColumn = rows.length && isWhole(rows) ? reader(own, columns) : null;
  const ofAll = isWhole([...rows, ...columns]) ? reader(own, []) : null;
  const across = combinations(own, columns);
  const name = (dimensions) => dimensions.map((number) => own.dimensions[number].name).join(", ");
  const head = element("tr", {}, rows.length ? element("th", { scope: "col" }, name(rows)) : element("td", {}),
    ...across.map((cell) => element("th", { class: "n", scope: "col" }, columns.length ? named(own, columns, cell) : text("count"))),
    ...(ofRow ? [element("th", { class: "n total", scope: "col" }, text("total"))] : []));
  const body = combinations(own, rows).map((row) => {
    const key = mapped(rows, row);
    return element("tr", {}, element("th", { scope: "row" }, rows.length ? named(own, rows, row) : text("all_people")),
      ...across.map((column) => cellOf(read(new Map([...key, ...mapped(columns, column)])))),
      ...(ofRow ? [cellOf(ofRow(key), true)] : []));
  });
  if (ofColumn) body.push(element("tr", { class: "total" }, element("th", { scope: "row" }, text("total")),
    ...across.map((column) => cellOf(ofColumn(mapped(columns, column)), true)), ...(ofRow ? [ofAll ? cellOf(ofAll(new Map()), true) : element("td", {})] : [])));
  const caption = [name(rows), name(columns)].filter(Boolean).join(" \u00d7 ");
  return element("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": text("table") },
    element("table", { class: "fit" }, element("caption", {}, caption + (state.intervals ? ` \u00b7 ${text("caption_intervals")}` : "")),
      element("thead", {}, head), element("tbody", {}, ...body)));
}

async function show() {
  const answer = document.getElementById("answer");
  document.getElementById("table").value = state.table;
  document.getElementById("intervals").value = state.intervals ? "on" : "off";
  try {
    const own = await table(state.table);
    const filters = own.keep.map(({ name, categories }) => element("p", {}, element("strong", {}, text("only")), ` ${name}: ${categories.map((own) => own.name).join(", ")}`));
    for (const zone of zones) {
      const numbersOf = zone === "out" ? own.dimensions.map((_, number) => number).filter((number) => ![...state.rows, ...state.columns].includes(number)) : state[zone];
      document.querySelector(`.zone[data-zone="${zone}"] .chips`).replaceChildren(...numbersOf.map((number) => chip(own.dimensions[number], number, zone)));
    }
    answer.replaceChildren(...filters, grid(own));
  } catch (error) {
    answer.replaceChildren(element("div", { class: "message error", role: "alert" }, element("p", { class: "heading" }, text("no_table")), element("p", {}, `${text("site_missing")} (${error.message})`)));
  }
}

document.getElementById("table").addEventListener("change", (event) => {
  history.pushState(null, "", `?${new URLSearchParams({ table: event.target.value })}`);
  if (fromAddress()) show();
});
document.getElementById("intervals").addEventListener("change", (event) => change({ intervals: event.target.value === "on" }, "intervals"));
document.getElementById("pivot").addEventListener("click", () => change({ rows: state.columns, columns: state.rows }, "pivot"));
for (const zone of document.querySelectorAll(".zone")) {
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    const number = Number(event.dataTransfer.getData("text/plain"));
    if (document.getElementById(`chip-${number}`)) move(number, zone.dataset.zone);
  });
}
window.addEventListener("popstate", () => { if (fromAddress()) show(); });
if (fromAddress()) show();
