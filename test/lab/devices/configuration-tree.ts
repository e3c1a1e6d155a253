/** A line of a configuration with the lines below it. A banner of several lines is one line whose text holds line ends. */
export type ConfigLine = { text: string; children: ConfigLine[] };

/** How the lines of an operating system are written down. */
export type Layout = {
  /** Written before each line for each level above it. */
  indent: string;
  /** Line between two sections of the first level. */
  separator?: string;
  /** Lines that end a section, by its first word; `*` for all others. */
  closers?: Readonly<Record<string, string>>;
  /** Sections stand between braces, and a line ends with this. */
  braces?: string;
};

const BANNER = /^banner \S+(?: (\^C|#))?$/;

/** Returns the lines of a text whose lines nest by their indentation; separators and closing lines are left out. */
export function parseIndented(text: string, { closers = {} }: Layout): ConfigLine[] {
  const root: ConfigLine[] = [];
  const open: { indent: number; children: ConfigLine[] }[] = [{ indent: -1, children: root }];
  const closing = new Set(['!', '#', ...Object.values(closers)]);
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    let words = line.trim();
    if (words === '' || closing.has(words)) continue;
    const banner = BANNER.exec(words);
    if (banner) {
      const end = lines.indexOf(banner[1] ?? 'EOF');
      words = [words, ...lines.splice(0, end + 1)].join('\n');
    }
    const indent = line.search(/\S/);
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const node = { text: words, children: [] };
    open.at(-1)?.children.push(node);
    open.push({ indent, children: node.children });
  }
  return root;
}

/** Returns the lines of a text whose lines nest between braces. */
export function parseBraces(text: string): ConfigLine[] {
  const open: ConfigLine[][] = [[]];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    if (line === '}') {
      open.pop();
      continue;
    }
    const node = { text: line.replace(/(?: \{|;)$/, ''), children: [] };
    open.at(-1)?.push(node);
    if (line.endsWith('{')) open.push(node.children);
  }
  return open[0] ?? [];
}

/** Returns the lines of a configuration as the device prints them. */
export function printLines(lines: readonly ConfigLine[], layout: Layout, depth = 0): string[] {
  const { indent, separator, closers = {}, braces } = layout;
  const pad = indent.repeat(depth);
  let wasSection = false;
  return lines.flatMap(({ text, children }) => {
    const below = printLines(children, layout, depth + 1);
    if (braces !== undefined) {
      return below.length > 0 ? [`${pad}${text} {`, ...below, `${pad}}`] : [`${pad}${text}${braces}`];
    }
    const isSection = below.length > 0;
    const before = separator !== undefined && depth === 0 && (isSection || wasSection) ? [separator] : [];
    wasSection = isSection;
    const closer = closers[text.split(' ')[0] ?? ''] ?? closers['*'];
    const end = isSection && closer !== undefined ? [`${pad}${closer}`] : [];
    return [...before, ...`${pad}${text}`.split('\n'), ...below, ...end];
  });
}

/** Returns the lines of a configuration as whole paths, as `display set` prints them. */
export const printPaths = (lines: readonly ConfigLine[], above = 'set'): string[] =>
  lines.flatMap(({ text, children }) =>
    children.length > 0 ? printPaths(children, `${above} ${text}`) : [`${above} ${text}`],
  );

/** Returns a copy that shares nothing with the original. */
export const copyLines = (lines: readonly ConfigLine[]): ConfigLine[] => structuredClone([...lines]);

/** Adds a line behind those that begin with the same words. */
export function insertLine(lines: ConfigLine[], node: ConfigLine): void {
  const [first = '', second = ''] = node.text.split(' ');
  const last = (begin: string) => lines.findLastIndex(({ text }) => `${text} `.startsWith(`${begin} `));
  const found = Math.max(last(`${first} ${second}`), -1);
  const at = found >= 0 ? found : last(first);
  lines.splice(at >= 0 ? at + 1 : lines.length, 0, node);
}
