import type { Missing } from './blocks.ts';
import type { ConfigLine, ParsedConfig } from './config-line.ts';
import type { Dialect } from './grammar.ts';
import { rawUnless } from './indent.ts';
import { COMMENT, oneStandsAt, planOf, VOLATILE } from './plan.ts';
import { isBlank, nextLine, rawLine, type Source, sourceOf, wordsBetween } from './source.ts';
import { wholeStatement } from './statement.ts';

/**
 * Read a configuration whose sections stand between words: FortiOS' `config … end` and `edit … next`, where `end` also
 * ends an open `edit`; or below a path, as RouterOS' `/ip address`, up to the next path.
 */
export function readKeywords(text: string, dialect: Dialect): ParsedConfig {
  const source = sourceOf(text);
  const { flags } = planOf(dialect);
  const parsed: ParsedConfig = { lines: [], warnings: [] };
  const missing: Missing = new Set();
  let open: ConfigLine | null = null;
  while (nextLine(source)) {
    const { from, to } = source;
    if (from === to) continue;
    const flag = flags[text.charCodeAt(from)] ?? 0;
    if (flag & COMMENT && oneStandsAt(dialect.comments, text, from, to)) continue;
    if (flag & VOLATILE && oneStandsAt(dialect.volatile, text, from, to)) continue;
    const path = dialect.keywords?.path;
    if (path && text.startsWith(path, from)) open = null;
    const word = firstWord(source);
    const closed: ConfigLine | null = to - from === word.length ? keywordCloses(open, word, dialect) : null;
    if (closed) {
      closed.end = rawLine(source);
      open = closed.parent;
      continue;
    }
    const read = wholeStatement(source, dialect, missing, parsed.warnings);
    const words = read?.text ?? wordsBetween(text, from, to);
    if (dialect.keywords?.close.includes(words)) {
      parsed.warnings.push({ line: source.line, reason: `${words} closes nothing` });
    }
    const node: ConfigLine = {
      text: words,
      line: read?.line ?? source.line,
      indent: read?.indent ?? source.indent,
      parent: open,
      children: [],
      raw: read?.raw ?? rawUnless(source, words),
      end: undefined,
      block: undefined,
    };
    (open?.children ?? parsed.lines).push(node);
    if (path ? text.startsWith(path, from) : dialect.keywords?.open.includes(word)) open = node;
  }
  const unclosed = dialect.keywords?.path ? null : open;
  if (unclosed) parsed.warnings.push({ line: unclosed.line, reason: 'the section is not closed' });
  return parsed;
}

function firstWord({ text, from, to }: Source): string {
  let end = from;
  while (end < to && end - from < 16 && !isBlank(text.charCodeAt(end))) end++;
  return text.slice(from, end);
}

/** The open section that a word closes: `next` its `edit`, `end` its `config` and what is open within. */
export function keywordCloses(open: ConfigLine | null, word: string, dialect: Dialect): ConfigLine | null {
  const [outer, inner] = dialect.keywords?.close ?? [];
  if (!open) return null;
  if (word === inner) return open.text.startsWith('edit') ? open : null;
  if (word !== outer) return null;
  return open.text.startsWith('edit') ? (open.parent ?? open) : open;
}
