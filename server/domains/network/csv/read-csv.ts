import { CsvError, parse } from 'csv-parse/sync';
import type { CsvHosts, CsvIssue, CsvRow } from './csv-hosts.ts';

/** Maximum number of rows of one file, and of columns. */
const MOST_ROWS = 50_000;
const MOST_COLUMNS = 200;
/** Maximum number of characters of one row. */
const MOST_CHARACTERS = 100_000;

/** Columns with a meaning, by their name in lower case without separators; others become custom fields. */
const COLUMNS: Readonly<Record<string, string>> = {
  name: 'name',
  hostname: 'name',
  host: 'host',
  address: 'host',
  ipaddress: 'host',
  port: 'port',
  devicetype: 'device_type',
  ostype: 'ostype',
  username: 'username',
  password: 'password',
  enablepassword: 'enablePassword',
  credential: 'credential',
  tags: 'tags',
  groups: 'groups',
  site: 'site',
};

/** Fields of hosts that only the service sets: a column of such a name is rejected. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads hosts from CSV text: commas, semicolons, tabs or bars between the cells, quotes, a byte order mark,
 * any line ends, a first line such as `sep=;`.
 *
 * @param text the first row names the columns
 * @returns hosts with the number of their row as a spreadsheet shows it, and the issues of rows that are none
 */
export function readCsv({ text }: { text: string }): CsvHosts {
  const issues: CsvIssue[] = [];
  const parsed = withoutEmptyEnd(recordsIn(text, issues));
  const [header, ...records] = parsed;
  if (!header) {
    if (issues.length === 0)
      issues.push({ row: 1, column: '', message: 'The file is empty: its first row must name the columns' });
    return { hosts: [], issues, rows: 0 };
  }
  const columns = columnsOf(header.record, ['name', 'host'], issues);
  if (!columns) return { hosts: [], issues, rows: records.length };
  const hosts: CsvRow[] = [];
  const named = columns.findIndex(({ field }) => field === 'name');
  const rowOfName = new Map<string, number>();
  for (const { record, row } of records) {
    const excess = excessOf(record, columns);
    if (excess) {
      issues.push({ row, column: '', message: excess });
      continue;
    }
    const host = hostOf(columns, record, row, issues);
    const name = record[named] ?? '';
    const first = rowOfName.get(name);
    if (first === undefined) {
      if (name !== '') rowOfName.set(name, row);
      if (host) hosts.push(host);
    } else
      issues.push({ row, column: columns[named]?.name ?? '', message: `occurs in row ${first} already` });
  }
  return { hosts, issues, rows: records.length };
}

/** Fewer cells than columns are no issue: spreadsheets leave out empty ones at the end of a row. */
const excessOf = (record: readonly string[], columns: readonly Column[]): string | null =>
  record.length > columns.length
    ? `has ${record.length} cells: the first row names ${columns.length} columns`
    : null;

/** Columns that are not read from a source, which owns neither secrets nor device groups. */
const NOT_OF_SOURCES = new Set(['username', 'password', 'enablePassword', 'credential', 'groups', 'ostype']);

/**
 * Reads the rows of a CSV text as records of an inventory source: each cell by the name of its column, and by the field that
 * the column means; the cells of other columns in `custom` as well.
 *
 * @param text the first row names the columns
 * @returns the records, and what is wrong with the text: half of it must not be used then
 */
export function csvRecords({ text }: { text: string }): {
  records: Record<string, unknown>[];
  issues: CsvIssue[];
} {
  const issues: CsvIssue[] = [];
  const [header, ...rows] = withoutEmptyEnd(recordsIn(text, issues));
  const columns = header && columnsOf(header.record, [], issues);
  if (!columns) return { records: [], issues };
  const records = rows.map(({ record, row }) => {
    const excess = excessOf(record, columns);
    if (excess) issues.push({ row, column: '', message: excess });
    const custom: Record<string, string> = {};
    const found: Record<string, unknown> = {};
    for (const [at, { name, field }] of columns.entries()) {
      const cell = record[at] ?? '';
      if (cell === '' || (field !== null && NOT_OF_SOURCES.has(field))) continue;
      found[name] = cell;
      if (field === null) custom[name] = cell;
      else found[field] = field === 'tags' ? listIn(cell) : cell;
    }
    return { ...found, custom };
  });
  return { records, issues };
}

type NumberedRecord = { record: string[]; row: number };

/** Removes empty cells after the last column that has a name: spreadsheets write them for columns that were only formatted. */
function withoutEmptyEnd(records: readonly NumberedRecord[]): NumberedRecord[] {
  const width = (records[0]?.record.findLastIndex((name) => name !== '') ?? -1) + 1;
  return records.map(({ record, row }) => {
    const end = record.slice(width).every((cell) => cell === '') ? width : record.length;
    return { record: record.slice(0, end), row };
  });
}

/** A first line that names the separator, which spreadsheets read and do not show: `sep=;`. */
const SEPARATOR = /^\uFEFF?("?)sep=(.)\1(?:\r\n?|\n)/i;

/** Messages about invalid quotes, by the error code of the library. */
const BROKEN_QUOTES: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'a quote is within a cell: write the cell in quotes, and that quote twice',
  CSV_INVALID_CLOSING_QUOTE: 'text follows the end of a quoted cell: write a quote within it twice',
};

/** Returns the rows with their numbers; after a broken quote there are none, because its end is unknown. */
function recordsIn(text: string, issues: CsvIssue[]): NumberedRecord[] {
  const records: NumberedRecord[] = [];
  let row = 0;
  try {
    parse(text.replace(SEPARATOR, ''), {
      bom: true,
      delimiter: SEPARATOR.exec(text)?.[2] ?? delimiterOf(text),
      trim: true,
      relax_column_count: true,
      max_record_size: MOST_CHARACTERS,
      // the header and one row too many
      to: MOST_ROWS + 2,
      onRecord: (record: string[]) => {
        row += 1;
        if (record.some((cell) => cell !== '')) records.push({ record, row });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The messages of the library quote cells, which may be secrets.
    const message = BROKEN_QUOTES[error.code] ?? error.message.slice(0, 300);
    issues.push({ row: row + 1, column: '', message: `is not valid CSV: ${message}` });
  }
  if (records.length > MOST_ROWS + 1) {
    issues.push({ row: MOST_ROWS + 2, column: '', message: `exceeds the limit of ${MOST_ROWS} rows` });
    records.length = MOST_ROWS + 1;
  }
  return records;
}

/** Returns the character that separates the cells of the first row; quoted ones do not count. */
function delimiterOf(text: string): string {
  const [first = ''] = /^[^\r\n]{0,10000}/.exec(text.replace(/^\uFEFF/, '')) ?? [];
  const plain = first.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, count: plain.split(sign).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).sign;
}

type Column = { name: string; field: string | null };

function columnsOf(
  header: readonly string[],
  required: readonly string[],
  issues: CsvIssue[],
): Column[] | undefined {
  const before = issues.length;
  const report = (column: string, message: string) => issues.push({ row: 1, column, message });
  if (header.length > MOST_COLUMNS)
    report('', `has ${header.length} columns: at most ${MOST_COLUMNS} are allowed`);
  const seen = new Set<string>();
  const columns = header.slice(0, MOST_COLUMNS).map((name): Column => {
    const field = COLUMNS[name.toLowerCase().replaceAll(/[\s_-]/g, '')] ?? null;
    const key = field ?? name;
    if (name === '') report('', 'has a column without a name');
    else if (name.length > 100) report(name.slice(0, 100), 'must have at most 100 characters');
    else if (RESERVED.has(name)) report(name, 'cannot be the name of a column');
    else if (seen.has(key)) report(name, 'occurs twice');
    seen.add(key);
    return { name, field };
  });
  for (const needed of required) if (!seen.has(needed)) report(needed, 'is missing from the first row');
  return issues.length > before ? undefined : columns;
}

function hostOf(
  columns: readonly Column[],
  record: readonly string[],
  row: number,
  issues: CsvIssue[],
): CsvRow | undefined {
  const { host, custom, groups } = cellsOf(columns, record);
  const before = issues.length;
  const report = (column: string, message: string) => issues.push({ row, column, message });
  if (Number.isNaN(host.port))
    report(columns.find(({ field }) => field === 'port')?.name ?? '', 'must be a number from 1 to 65535');
  for (const needed of ['name', 'host']) if (host[needed] === undefined) report(needed, 'must not be empty');
  for (const group of groups) if (group.length > 255) report('groups', 'has a name of over 255 characters');
  if (issues.length > before) return undefined;
  // the credential has the account
  if (host.credential !== undefined && host.password === undefined) delete host.username;
  if (Object.keys(custom).length > 0) host.custom = custom;
  return { row, host, groups };
}

/** Returns the cells of a row by the field that their column means, and others by the name of their column. */
function cellsOf(columns: readonly Column[], record: readonly string[]) {
  const host: Record<string, unknown> = {};
  const custom: Record<string, string> = {};
  let groups: string[] = [];
  for (const [at, { name, field }] of columns.entries()) {
    const cell = record[at] ?? '';
    if (cell === '') continue;
    if (field === null) custom[name] = cell;
    else if (field === 'groups') groups = listIn(cell);
    else host[field] = field === 'tags' ? listIn(cell) : field === 'port' ? portIn(cell) : cell;
  }
  return { host, custom, groups };
}

/** Returns the number of a port; NaN for any other text. */
function portIn(cell: string): number {
  const port = /^\d{1,5}$/.test(cell) ? Number(cell) : 0;
  return port >= 1 && port <= 65535 ? port : Number.NaN;
}

const listIn = (cell: string): string[] => [
  ...new Set(
    cell
      .split(/[,;|]/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
];
