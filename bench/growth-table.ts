type Result = {
  kind: string;
  size: number;
  page: number | null;
  filtered: number | null;
  get: number | null;
  create: number | null;
};

const shown = (ms: number | null) => (ms === null ? '' : ms.toFixed(1));

const HEAD = ['kind', 'documents', 'page', 'filtered page', 'one document', 'new document'];

const rowOf = ({ kind, size, page, filtered, get, create }: Result) => [
  kind,
  size.toLocaleString('en'),
  shown(page),
  shown(filtered),
  shown(get),
  shown(create),
];
const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/**
 * Puts the measurements of the growth bench into its table in Markdown, in milliseconds.
 *
 * @param table the table so far: its rows of kinds that were not measured now stay
 * @returns the new table, with aligned columns
 */
export function measuredTable(results: readonly Result[], table: string): string {
  const rowsOf = new Map<string, string[][]>();
  const isRow = (line: string) => line.startsWith('|');
  for (const cells of table.split('\n').filter(isRow).slice(2).map(cellsOf)) {
    const [kind = ''] = cells;
    rowsOf.set(kind, [...(rowsOf.get(kind) ?? []), cells]);
  }
  for (const { kind } of results)
    rowsOf.set(kind, results.filter((result) => result.kind === kind).map(rowOf));
  const rows = [...rowsOf.values()].flat();
  const widths = HEAD.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const lines = [HEAD, widths.map((width) => '-'.repeat(width)), ...rows];
  return lines
    .map((cells) => `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`)
    .join('\n');
}
