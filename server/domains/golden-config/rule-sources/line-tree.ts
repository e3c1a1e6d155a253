import type { Line, Word } from '#db/schemas/golden-config/config-spec.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { parseConfig } from '../parsing/parse.ts';
import { DEEPEST } from '../rules/limits.ts';
import type { Marks, Unmarked } from '../rules/marks.ts';
import { typedWords, wordsKey } from '../rules/words.ts';
import type { LineIds } from './line-ids.ts';

type Open = { node: ConfigLine; into: Line[]; above: string; depth: number; block: Marks };

/** Parses a configuration as its dialect, or a parser with lex rules of its own, would. */
export type ReadConfig = (text: string) => ParsedConfig;

/** How lines are parsed, and where their ids come from. */
export type LineTreeOptions = { dialect: Dialect; ids: LineIds; read?: ReadConfig | undefined };

/** Lines, nested as their dialect's reader nests them. */
export type LineTree = {
  lines: Line[];
  /** Offset of each line in the text before its marks were taken out. */
  offsets: ReadonlyMap<Line, number>;
  /** Offset of the first line that is nested too deeply and therefore not in the tree. */
  deepest: number | undefined;
};

/** Builds the lines of a text without marks, with the settings of its marks. */
export function buildLines(
  { text, expressions, marks, offsets: starts }: Pick<Unmarked, 'text' | 'expressions' | 'marks' | 'offsets'>,
  { dialect, ids, read = (config) => parseConfig(config, dialect) }: LineTreeOptions,
): LineTree {
  const root: Line[] = [];
  const offsets = new Map<Line, number>();
  let deepest: number | undefined;
  const open: Open[] = read(text)
    .lines.toReversed()
    .map((node) => ({ node, into: root, above: '', depth: 1, block: {} }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, into } = next;
    if (next.depth > DEEPEST) {
      deepest ??= starts[node.line - 1] ?? 0;
      continue;
    }
    // A block has no marks of its own: those of the line that opens it apply.
    const said = node.block ? next.block : (marks.get(node.line) ?? {});
    const words: Word[] = node.block
      ? [{ type: 'literal', value: node.text }]
      : typedWords(node.text, expressions, dialect);
    const id = ids(`${next.above}\n${wordsKey(words)}`);
    const line: Line = {
      id,
      words,
      lines: [],
      evalMode: said.evalMode ?? 'required',
      fixMode: 'manual',
      severity: said.severity ?? 'warning',
      ordering: said.ordering ?? 'none',
      membership: 'default',
    };
    into.push(line);
    offsets.set(line, starts[node.line - 1] ?? 0);
    const below = line.lines ?? [];
    for (const child of node.children.toReversed()) {
      open.push({ node: child, into: below, above: id, depth: next.depth + 1, block: said });
    }
  }
  return { lines: root, offsets, deepest };
}

/** Returns the same lines, each with an id and with defaults for missing fields. They must not nest deeper than DEEPEST. */
export const withLineIds = (lines: readonly Line[], ids: LineIds, above = ''): Line[] =>
  lines.map((line) => {
    const id = ids(`${above}\n${wordsKey(line.words)}`);
    return {
      evalMode: 'required',
      fixMode: 'manual',
      severity: 'warning',
      ordering: 'none',
      membership: 'default',
      ...line,
      id,
      lines: withLineIds(line.lines ?? [], ids, id),
    };
  });
