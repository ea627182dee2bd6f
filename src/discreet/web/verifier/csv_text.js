// CSV files as the folder writes them: commas, quotes where needed, a newline after each row.

import { need } from "./failure.js";

/** Return the rows of a CSV text, each a list of fields. */
export function parseCsv(text, name) {
  need(text === "" || text.endsWith("\n"), `${name}: the last row does not end with a newline`);
  const rows = [];
  let row = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') {
      let value = "";
      for (;;) {
        const end = text.indexOf('"', at + 1);
        need(end !== -1, `${name}: a quote is never closed`);
        value += text.slice(at + 1, end);
        at = end + 1;
        if (text[at] !== '"') break;
        value += '"';
      }
      row.push(value);
    } else {
      const rest = /[^,"\r\n]*/y;
      rest.lastIndex = at;
      row.push(rest.exec(text)[0]);
      at = rest.lastIndex;
    }
    if (text[at] === ",") {
      at++;
      continue;
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at++;
    need(text[at] === "\n", `${name}: text follows a field`);
    at++;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Return an integer from its text, or throw a Failure. */
export function integer(text, where) {
  need(/^(0|-?[1-9][0-9]{0,15})$/.test(text), `${where}: '${text.slice(0, 40)}' is no integer`);
  return Number(text);
}
