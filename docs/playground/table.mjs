// Pure functions of the playground: text of a CSV file to columns, and words for people.

const DELIMITERS = [",", ";", "\t"];

/** A fault of the text, with the line of an editor where it stands. */
export class TableError extends Error {
  constructor(message, line = null) {
    super(message);
    this.line = line;
  }
}

/** Return the delimiter that the first line has most of, outside quotes. */
export function delimiterOf(text) {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === "\n" || sign === "\r")) break;
    else if (!quoted && counts.has(sign)) counts.set(sign, counts.get(sign) + 1);
  }
  return DELIMITERS.reduce((best, each) => (counts.get(each) > counts.get(best) ? each : best));
}

/** Return the records of a text, each with the line where it starts; empty lines are skipped. */
export function recordsOf(text, delimiter) {
  const records = [];
  let fields = [], field = "", quoted = false, closed = false, line = 1, start = 1;
  const endField = () => {
    fields.push(field);
    field = "";
    closed = false;
  };
  const endRecord = () => {
    endField();
    if (fields.length > 1 || fields[0] !== "") records.push({ fields, line: start });
    fields = [];
  };
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    const newline = sign === "\n" || (sign === "\r" && text[i + 1] !== "\n");
    if (newline) line += 1;
    if (quoted) {
      if (sign !== '"') field += sign;
      else if (text[i + 1] === '"') field += text[i++];
      else [quoted, closed] = [false, true];
    } else if (sign === '"' && field === "" && !closed) quoted = true;
    else if (sign === delimiter) endField();
    else if (newline) {
      endRecord();
      start = line;
    } else if (sign === "\r") continue;
    else field += sign;
  }
  if (quoted) throw new TableError(`The quote that opens on line ${start} does not close.`, start);
  if (field !== "" || fields.length || closed) endRecord();
  return records;
}

/** Return a table: names, columns of text by name, the line of each row, and the delimiter. */
export function tableOf(text) {
  const clean = text.replace(/^\uFEFF/, "");
  const delimiter = delimiterOf(clean);
  const [header, ...rows] = recordsOf(clean, delimiter);
  if (!header) throw new TableError("There is no table: paste a CSV file with a header line.");
  const names = header.fields.map((name) => name.trim());
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new TableError(`Two columns are called '${twice}'.`, header.line);
  if (rows.length === 0) throw new TableError("The table has a header and no rows.", header.line);
  for (const { fields, line } of rows) {
    if (fields.length !== names.length) {
      const number = fields.length === 1 ? "1 field" : `${fields.length} fields`;
      throw new TableError(`Line ${line} has ${number}; the header has ${names.length}.`, line);
    }
  }
  const columns = Object.fromEntries(names.map((name, i) => [name, rows.map((r) => r.fields[i])]));
  return { names, columns, lines: rows.map((row) => row.line), delimiter };
}

/** Return the distinct values of a column: whole numbers in their order, else sorted texts. */
export function classesOf(column) {
  const values = [...new Set(column)];
  const whole = values.every((value) => /^-?\d+$/.test(value));
  return values.sort(whole ? (a, b) => a - b : (a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Return whether every value of a column is a number. */
export function isNumeric(column) {
  return column.every((value) => value.trim() !== "" && Number.isFinite(Number(value)));
}

/** Return the columns that are most likely the labels and the scores. */
export function guess({ names, columns }, most = 12) {
  const few = (name) => {
    const number = new Set(columns[name]).size;
    return number >= 2 && number <= most;
  };
  const label = names.find((name) => few(name) && !isNumeric(columns[name])) ?? names.find(few);
  const shares = names.filter(
    (name) => name !== label && isNumeric(columns[name]) && !few(name)
      && columns[name].every((value) => Number(value) >= 0 && Number(value) <= 1),
  );
  return { label: label ?? names[0], scores: shares.slice(0, 1) };
}

/** Return the entries of a list that people typed. */
export function listOf(text) {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** Return a matrix of numbers from the texts of its fields. */
export function matrixOf(texts) {
  return texts.map((row) => row.map((text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) {
      throw new TableError(`Every cost must be a number: got '${text}'.`);
    }
    return value;
  }));
}

/** Return priors from texts: null where all are empty. */
export function priorsOf(texts) {
  if (texts.every((text) => text.trim() === "")) return null;
  const values = texts.map(Number);
  if (texts.some((text, i) => text.trim() === "" || !Number.isFinite(values[i]))) {
    throw new TableError("Give every class a prior, or none: then those of the data are used.");
  }
  return values;
}

/** Return a size in megabytes, as people read it. */
export function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(bytes < 1e6 ? 1 : 0)} MB`;
}

/** Return the first and last character of a line of a text. */
export function lineRange(text, line) {
  const ends = [...text.matchAll(/\r\n|\n|\r/g)];
  const before = ends[line - 2];
  const start = line <= 1 ? 0 : before ? before.index + before[0].length : text.length;
  return [start, ends[line - 1]?.index ?? text.length];
}
