import type { ConfigLine, ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import { type Dialect, dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { visits } from '#server/domains/golden-config/parsing/visits.ts';

/** The dialect of this name, which must be there. */
export function dialectNamed(name: string): Dialect {
  const dialect = dialectOf(name);
  if (!dialect) throw new Error(`there is no dialect ${name}`);
  return dialect;
}

/** Texts, and the texts below them; a text alone where nothing is below it. */
export type Tree = (string | [string, Tree])[];

/** Lines as their texts only. */
export function treeOf(lines: readonly ConfigLine[]): Tree {
  const top: Tree = [];
  const levels: Tree[] = [top];
  for (const { line, depth, leaving } of visits(lines)) {
    if (leaving) continue;
    const below: Tree = [];
    levels[depth]?.push(line.children.length === 0 ? line.text : [line.text, below]);
    levels[depth + 1] = below;
  }
  return top;
}

/** A text read by a dialect, as texts only. */
export const read = (dialect: string, text: string): Tree => treeOf(parse(dialect, text).lines);

export const parse = (dialect: string, text: string): ParsedConfig =>
  parseConfig(text, dialectNamed(dialect));

/** All lines in their order. */
export const linesOf = (parsed: ParsedConfig): ConfigLine[] =>
  [...visits(parsed.lines)].filter(({ leaving }) => !leaving).map(({ line }) => line);
