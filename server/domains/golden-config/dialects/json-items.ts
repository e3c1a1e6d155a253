import { jsonOr } from '#server/kernel/json/json-or.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { closingQuote } from '../parsing/source.ts';

/** Maps an array, by the names that lead to it (`*` for any item), to the property that identifies its objects. */
export type Identities = ReadonlyMap<string, string>;

/** Returns the key of an array in `Identities`. */
export const arrayKey = (names: readonly string[]): string => JSON.stringify(names);

/** Returns a property's name and, unless it is an object or array, its value as in the source; undefined for other lines. */
export function memberOf({
  text,
}: Pick<ConfigLine, 'text'>): { name: string; value: string | undefined } | undefined {
  if (!text.startsWith('"')) return undefined;
  const close = closingQuote(text, 1, text.length);
  if (close === -1) return undefined;
  const quoted = text.slice(0, close + 1);
  const value = text.length > close + 1 ? text.slice(close + 2) : undefined;
  return { name: unquoted(quoted), value };
}

/** Returns the value of a JSON string, or the source itself when it is not one. */
export function unquoted(source: string): string {
  const text = jsonOr(source, source);
  return typeof text === 'string' ? text : source;
}

/** Returns whether a line opens a block, which may be empty. */
export const holdsLines = ({ children, end }: ConfigLine): boolean =>
  children.length > 0 || end !== undefined;

/**
 * Gives array items distinct texts: an object in an array gets its identifying property in brackets as its text, otherwise
 * its index from 0. Equal texts then mean the same line, as in other dialects. The outermost object or array has no line.
 */
export function withItems(parsed: ParsedConfig, identities: Identities): ParsedConfig {
  const [root] = parsed.lines;
  const whole = root && parsed.lines.length === 1 && root.text === '' ? root : undefined;
  const lines = whole?.children ?? parsed.lines;
  type Open = { lines: readonly ConfigLine[]; names: readonly string[]; inArray: boolean };
  const open: Open[] = [{ lines, names: [], inArray: whole?.end === ']' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const identity = next.inArray ? identities.get(arrayKey(next.names)) : undefined;
    for (const [at, line] of next.lines.entries()) {
      if (!holdsLines(line)) continue;
      const names = [...next.names, next.inArray ? '*' : (memberOf(line)?.name ?? line.text)];
      if (next.inArray) line.text = `[${(identity && memberText(line, identity)) ?? at}]`;
      open.push({ lines: line.children, names, inArray: line.end === ']' });
    }
  }
  if (whole) for (const line of lines) line.parent = null;
  return { ...parsed, lines: [...lines] };
}

const memberText = (line: ConfigLine, name: string): string | undefined =>
  line.children.find((child) => memberOf(child)?.name === name)?.text;
