type Result = {
  kind: string;
  size: number;
  page: number | null;
  filtered: number | null;
  get: number | null;
  create: number | null;
};

const shown = (ms: number | null) => (ms === null ? '' : ms.toFixed(1));

/** Returns the measurements of the growth bench as a table in Markdown, in milliseconds. */
export function measuredTable(results: readonly Result[]): string {
  const head = ['kind', 'documents', 'page', 'filtered page', 'one document', 'new document'];
  const rows = results.map(({ kind, size, page, filtered, get, create }) => [
    kind,
    size.toLocaleString('en'),
    shown(page),
    shown(filtered),
    shown(get),
    shown(create),
  ]);
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
