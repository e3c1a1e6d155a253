import type { ConfigLine, ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import type { Dialect } from '#server/domains/golden-config/parsing/dialect.ts';
import { linesOf } from './tree.ts';

/** What a mutation damages. */
export type MarkKind = 'quote' | 'brace' | 'bracket' | 'delimiter' | 'comment' | 'indentation' | 'closer';

/** A place of a text that structures it: its offset, its length and its line, from 1. */
export type Mark = { kind: MarkKind; at: number; length: number; line: number };

/** How a mark is damaged. */
export const DAMAGES = ['delete', 'double', 'flip', 'cut'] as const;
export type Damage = (typeof DAMAGES)[number];

/** Lines of a text, both ends included. */
export type Range = { from: number; to: number };

const FLIPPED: Record<string, string> = {
  '"': "'",
  '{': '}',
  '}': '{',
  '[': ']',
  ']': '[',
  '/*': '*/',
  '*/': '/*',
  next: 'end',
  end: 'next',
};

/** Finds the marks of a text: all but escaped quotes, and quotes that the dialect reads as plain characters. */
export function marksOf(text: string, whole: ParsedConfig, dialect: Dialect): Mark[] {
  const marks: Mark[] = [];
  const blockEnds = new Set<number>();
  const blockHeads = new Set<number>();
  for (const line of linesOf(whole)) {
    if (!line.block) continue;
    blockHeads.add(line.line - 1);
    blockEnds.add(lastOwnLine(line));
  }
  const continued = new Set<number>();
  for (const line of linesOf(whole)) {
    for (let at = line.line + (line.block ? 0 : 1); at <= lastOwnLine(line); at++) continued.add(at);
  }
  const closers = [...dialect.closers, ...(dialect.keywords?.close ?? [])];
  let at = 0;
  for (const [index, row] of text.split('\n').entries()) {
    const line = index + 1;
    const add = (kind: MarkKind, column: number, length: number) =>
      marks.push({ kind, at: at + column, length, line });
    const words = row.trim();
    const indent = row.length - row.trimStart().length;
    if (indent > 0) add('indentation', 0, indent);
    const isOwn = !continued.has(line);
    const closes = isOwn && closers.includes(words);
    const comment = dialect.comments.find((one) => words.startsWith(one.trim()));
    if (comment && isOwn && !closes) add('comment', indent, comment.trim().length);
    if (words.endsWith('*/') && isOwn) add('comment', row.trimEnd().length - 2, 2);
    if (closes) add('closer', indent, words.length);
    if (blockHeads.has(line) || blockEnds.has(line)) {
      const word = words.split(' ').at(-1) ?? '';
      if (word !== '') add('delimiter', row.trimEnd().length - word.length, word.length);
    }
    for (const { index: column, 0: found } of row.matchAll(/(?<!\\)["{}[\]]/g)) {
      if (found === '"') add('quote', column, 1);
      else if (whole.braces) add('{}'.includes(found) ? 'brace' : 'bracket', column, 1);
    }
    at += row.length + 1;
  }
  return marks;
}

/** Damages a text at a mark: the text, and the lines that it has more. */
export function damaged(text: string, mark: Mark, damage: Damage): { text: string; moreLines: number } {
  const { kind, at, length } = mark;
  const before = text.slice(0, at);
  const found = text.slice(at, at + length);
  const after = text.slice(at + length);
  if (damage === 'delete') return { text: before + after, moreLines: 0 };
  if (damage === 'double') {
    const between = kind === 'closer' ? `\n${/[^\n]*$/.exec(before)?.[0] ?? ''}` : '';
    return { text: `${before}${found}${between}${found}${after}`, moreLines: between === '' ? 0 : 1 };
  }
  if (damage === 'cut') {
    if (kind === 'indentation') return { text: before + found.slice(1) + after, moreLines: 0 };
    const end = after.indexOf('\n');
    return { text: before + (end === -1 ? '' : after.slice(end)), moreLines: 0 };
  }
  const other = kind === 'indentation' ? '\t'.repeat(length) : (FLIPPED[found] ?? '~'.repeat(length));
  return { text: before + other + after, moreLines: 0 };
}

const lastOwnLine = ({ line, text }: ConfigLine): number => line + text.split('\n').length - 1;

/** The structure of a whole text, to find the block that encloses a line. */
export class Blocks {
  readonly #rows: readonly string[];
  readonly #lines: ConfigLine[];
  readonly #dialect: Dialect;
  readonly #parsed: ParsedConfig;

  constructor(text: string, parsed: ParsedConfig, dialect: Dialect) {
    this.#rows = text.split('\n');
    this.#parsed = parsed;
    this.#lines = linesOf(parsed);
    this.#dialect = dialect;
  }

  /**
   * Finds the lines that damage at a mark may change: the section that the damaged line opens or closes, else the
   * section that it is in, else the statement itself.
   */
  enclosing(mark: Mark, damage: Damage): Range {
    const { line, kind } = mark;
    const at = this.#lines.findLastIndex((one) => one.line <= line);
    let own = this.#lines[at];
    if (own?.block) own = own.parent ?? undefined;
    const covers = own && line <= this.#ownEnd(own);
    if (!own || !covers) return this.#around(line, own);
    if (kind === 'indentation' && this.#dialect.separator && !own.parent)
      return this.#betweenSeparators(line);
    if (kind === 'indentation' && this.#nestsByColumn()) return this.#leftOf(own, mark, damage);
    if (isSection(own)) return this.#span(own);
    return own.parent ? this.#span(own.parent) : { from: own.line, to: this.#ownEnd(own) };
  }

  #nestsByColumn(): boolean {
    return this.#dialect.structure === 'indent' && !this.#parsed.braces && !this.#dialect.topLevel;
  }

  /** Where only columns nest, a line that moves left takes what follows it out of every section that it leaves. */
  #leftOf(own: ConfigLine, mark: Mark, damage: Damage): Range {
    const column = damage === 'delete' ? 0 : damage === 'cut' ? mark.length - 1 : mark.length;
    let block = own;
    while (block.parent && (block === own || block.indent >= column)) block = block.parent;
    return this.#span(block);
  }

  /** A line that is no statement closes a section, or is a comment. */
  #around(line: number, before: ConfigLine | undefined): Range {
    const open: ConfigLine[] = [];
    for (let one = before; one; one = one.parent ?? undefined) if (isSection(one)) open.push(one);
    const from = before ? this.#ownEnd(before) + 1 : 1;
    for (let at = from; at < line; at++) if (this.#closes(at)) open.shift();
    const section = open.find((one) => this.#span(one).to >= line);
    if (this.#closes(line) && open[0]) return this.#span(open[0]);
    if (section && !this.#dialect.separator) return this.#span(section);
    const next = this.#lines.find((one) => one.line > line);
    if (!this.#dialect.separator) return { from: line, to: next ? this.#ownEnd(next) : this.#rows.length };
    return this.#betweenSeparators(line);
  }

  #betweenSeparators(line: number): Range {
    let [first, last] = [line - 1, line + 1];
    while (first > 0 && this.#rows[first - 1] !== this.#dialect.separator) first--;
    while (last < this.#rows.length && this.#rows[last - 1] !== this.#dialect.separator) last++;
    return { from: first, to: last };
  }

  #closes(line: number): boolean {
    const words = this.#rows[line - 1]?.trim() ?? '';
    const { closers, keywords, structure } = this.#dialect;
    if (structure === 'tags') return words.startsWith('</');
    if (this.#parsed.braces) return /^[\]}]/.test(words);
    return closers.includes(words) || (keywords?.close.includes(words) ?? false);
  }

  #ownEnd(line: ConfigLine): number {
    const [first] = line.children;
    return first?.block ? lastOwnLine(first) : lastOwnLine(line);
  }

  #span(section: ConfigLine): Range {
    let last = section;
    for (let one = last.children.at(-1); one; one = last.children.at(-1)) last = one;
    let to = this.#ownEnd(last.block && last.parent ? last.parent : last);
    // The lines that close sections are between the last statement and the next one.
    let closers = 0;
    for (let one: ConfigLine | null = last; one; one = one.parent) {
      if (one.end !== undefined) closers++;
      if (one === section) break;
    }
    for (let at = to + 1; closers > 0 && at <= this.#rows.length; at++) {
      if (!this.#closes(at)) continue;
      to = at;
      closers -= this.#parsed.braces ? (this.#rows[at - 1]?.match(/[\]}]/g)?.length ?? 1) : 1;
    }
    return { from: section.line, to };
  }
}

const isSection = ({ children, end }: ConfigLine) =>
  end !== undefined || children.some(({ block }) => !block);

/** Statements outside a range: their line, the texts above them, and their own. */
export function statementsOutside(parsed: ParsedConfig, { from, to }: Range, moreLines = 0): string[] {
  const paths = new Map<ConfigLine | null, string>([[null, '']]);
  const outside: string[] = [];
  for (const one of linesOf(parsed)) {
    const path = `${paths.get(one.parent)} > ${one.text}`;
    paths.set(one, path);
    if (one.line < from) outside.push(`${one.line}${path}`);
    if (one.line > to) outside.push(`${one.line - moreLines}${path}`);
  }
  return outside;
}

/**
 * Whether damage breaks the grammar of a dialect, so that a warning can name it: line comments, columns and plain
 * characters may be damaged into a text that is as good as the whole one.
 */
export function isSyntactic(mark: Mark, damage: Damage, dialect: Dialect, whole: ParsedConfig): boolean {
  const { kind } = mark;
  const line = linesOf(whole).findLast((one) => !one.block && one.line <= mark.line);
  if (kind === 'brace' || (kind === 'bracket' && dialect.name === 'json')) {
    const isText = linesOf(whole).some(
      (one) => one.line <= mark.line && mark.line <= lastOwnLine(one) && /[{}[\]]/.test(one.text),
    );
    return damage !== 'cut' && !isText;
  }
  if (kind === 'closer') return damage !== 'flip' || dialect.keywords !== undefined;
  if (kind === 'quote') {
    const inStatement = line && mark.line <= lastOwnLine(line) && line.text.includes('"');
    return inStatement === true && damage !== 'cut' && dialect.multilineQuotes;
  }
  return false;
}
