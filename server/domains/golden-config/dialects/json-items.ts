import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { closingQuote } from '../parsing/source.ts';

/** The member that tells the objects of an array apart, by the names on the way to the array; `*` for any item. */
export type Identities = ReadonlyMap<string, string>;

/** How identities name an array. */
export const arrayKey = (names: readonly string[]): string => JSON.stringify(names);

/** A member's name and, where it holds no object or array, its value as it stands in the source. */
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

/** What a JSON string says; the source itself where it is none. */
export function unquoted(source: string): string {
  try {
    const said: unknown = JSON.parse(source);
    return typeof said === 'string' ? said : source;
  } catch {
    return source;
  }
}

export const holdsLines = ({ children, end }: ConfigLine): boolean =>
  children.length > 0 || end !== undefined;

/**
 * JSON whose items are told apart: an object of an array has the text of the member that identifies it, in brackets,
 * else its place from 0. So lines of one text are one thing, as everywhere. What is around everything has no line.
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
