import { NEWLINE } from '../parsing/characters.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { wordsBetween } from '../parsing/source.ts';

/**
 * Reads XML as lines: an element with elements in it is a line with children, whose `end` is its end tag; any other
 * element is one line with its value, also over several lines. An element with one of `KEYS` in it begins with that one,
 * so that elements of the same name differ. Comments and declarations are left out. What is no XML stays as lines.
 */
export function readXml(text: string): ParsedConfig {
  const reading: XmlText = {
    text,
    parsed: { lines: [], warnings: [] },
    open: null,
    names: [],
    openOf: new Map(),
    missing: new Set(),
    line: 1,
    counted: 0,
    feed: -1,
  };
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (at < text.length) at = readAt(reading, at);
  if (reading.open) warn(reading, reading.open.line, NOT_CLOSED);
  return reading.parsed;
}

/** Elements that identify the one in which they are, as systems write them: the first that has a value counts. */
const KEYS = [
  ...['name', 'uuid', 'refid', 'tracker', 'uniqid', 'vpnid', 'ikeid', 'tunable', 'vlanif', 'ifname', 'mac'],
  ...['command', 'id'],
];

/** A text that is being read, up to some place. */
type XmlText = {
  text: string;
  parsed: ParsedConfig;
  /** The innermost open element, the names of all open ones, and how many of a name are open. */
  open: ConfigLine | null;
  names: string[];
  openOf: Map<string, number>;
  /** Ends that do not occur in the rest of the text. */
  missing: Set<string>;
  /** The number of the source line at the offset `counted`, which only grows. */
  line: number;
  counted: number;
  /** The offset of a line feed that was found, which is searched for again only behind it. */
  feed: number;
};

const START = /<([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const END = /<\/([A-Za-z_][\w:.-]*)\s*>/y;
const NOT_CLOSED = 'the element is not closed';
const BYTE_ORDER_MARK = 0xfeff;

/** What stands between marks and is no element, with whether it is part of a value. */
const SECTIONS = [
  { begins: '<!--', ends: '-->', isValue: false },
  { begins: '<?', ends: '?>', isValue: false },
  { begins: '<![CDATA[', ends: ']]>', isValue: true },
  { begins: '<!', ends: '>', isValue: false },
] as const;

/** Reads what begins at an offset. @returns the offset after it */
function readAt(reading: XmlText, at: number): number {
  const { text } = reading;
  if (text.charAt(at) !== '<') return readText(reading, at);
  const section = sectionAt(reading, at);
  if (section) return section.isValue ? readText(reading, at) : section.end;
  const end = matchAt(END, text, at);
  if (end) return closeElement(reading, at, end[1] ?? '') ?? readText(reading, at);
  const start = matchAt(START, text, at);
  return start ? readElement(reading, at, start) : readText(reading, at);
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** Returns the comment, declaration or CDATA section at an offset. */
function sectionAt({ text, missing }: XmlText, at: number): { end: number; isValue: boolean } | undefined {
  const section = SECTIONS.find(({ begins }) => text.startsWith(begins, at));
  if (!section || missing.has(section.ends)) return undefined;
  const found = text.indexOf(section.ends, at + section.begins.length);
  if (found !== -1) return { end: found + section.ends.length, isValue: section.isValue };
  missing.add(section.ends);
  return undefined;
}

function readElement(
  reading: XmlText,
  at: number,
  [tag, name = '', attributes = '', empty]: RegExpExecArray,
): number {
  const { text } = reading;
  const inner = at + tag.length;
  const head = `<${name}${wordsOf(attributes)}`;
  const valueEnd = empty ? inner : endOfValue(reading, inner);
  const closing = empty ? null : matchAt(END, text, valueEnd);
  if (empty || closing?.[1] === name) {
    const value = empty ? '' : text.slice(inner, valueEnd);
    const words = value.trim() === '' ? `${head}/>` : `${head}>${wordsOf(value)}</${name}>`;
    add(reading, words, at);
    return valueEnd + (closing?.[0].length ?? 0);
  }
  reading.open = add(reading, `${head}>`, at);
  reading.names.push(name);
  reading.openOf.set(name, (reading.openOf.get(name) ?? 0) + 1);
  return inner;
}

const wordsOf = (text: string): string => wordsBetween(text, 0, text.length);

/** Returns the offset of the tag behind a value, in which CDATA sections and comments may stand. */
function endOfValue(reading: XmlText, from: number): number {
  const { text } = reading;
  let at = text.indexOf('<', from);
  for (let section = sectionAt(reading, at); at !== -1 && section; section = sectionAt(reading, at))
    at = text.indexOf('<', section.end);
  return at === -1 ? text.length : at;
}

/** Closes the innermost open element of a name. @returns the offset after its end tag; undefined when there is none */
function closeElement(reading: XmlText, at: number, name: string): number | undefined {
  const end = `</${name}>`;
  if (!reading.openOf.get(name)) {
    warn(reading, lineAt(reading, at), `${end} closes nothing`);
    return undefined;
  }
  while (reading.open && reading.names.at(-1) !== name) {
    warn(reading, reading.open.line, NOT_CLOSED);
    leave(reading, reading.open);
  }
  if (reading.open) {
    reading.open.end = end;
    identify(reading.open);
    leave(reading, reading.open);
  }
  return at + (matchAt(END, reading.text, at)?.[0].length ?? end.length);
}

function leave(reading: XmlText, { parent }: ConfigLine): void {
  const name = reading.names.pop() ?? '';
  reading.openOf.set(name, (reading.openOf.get(name) ?? 1) - 1);
  reading.open = parent;
}

/** Puts the element that identifies another one behind its start tag. */
function identify(line: ConfigLine): void {
  for (const key of KEYS) {
    const at = line.children.findIndex(
      ({ text, end }) => end === undefined && text.startsWith(`<${key}>`) && !text.includes('\n'),
    );
    if (at === -1) continue;
    line.text += line.children[at]?.text ?? '';
    line.children.splice(at, 1);
    return;
  }
}

/** Adds the lines of a text that is no element, up to the next tag. @returns the offset after it */
function readText(reading: XmlText, at: number): number {
  const { text } = reading;
  const section = sectionAt(reading, at);
  const next = section ? section.end : text.indexOf('<', at + 1);
  const end = next === -1 ? text.length : next;
  if (section) add(reading, text.slice(at, end), at);
  else {
    for (let from = at; from < end; ) {
      const to = Math.min(feedFrom(reading, from), end);
      const words = wordsBetween(text, from, to).trim();
      if (words) add(reading, words, from);
      from = to + 1;
    }
  }
  return end;
}

/** Returns the offset of the next line feed, or of the end of the text. */
function feedFrom(reading: XmlText, from: number): number {
  if (reading.feed < from) {
    const found = reading.text.indexOf('\n', from);
    reading.feed = found === -1 ? reading.text.length : found;
  }
  return reading.feed;
}

function add(reading: XmlText, text: string, at: number): ConfigLine {
  const { open, parsed } = reading;
  const line: ConfigLine = { text, line: lineAt(reading, at), indent: 0, parent: open, children: [] };
  (open?.children ?? parsed.lines).push(line);
  return line;
}

/** Returns the number of the source line at an offset, which is never before the last one. */
function lineAt(reading: XmlText, at: number): number {
  for (; reading.counted < at; reading.counted++) {
    if (reading.text.charCodeAt(reading.counted) === NEWLINE) reading.line++;
  }
  return reading.line;
}

function warn({ parsed }: XmlText, line: number, reason: string): void {
  parsed.warnings.push({ line, reason });
}
