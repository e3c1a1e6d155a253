import { jinjaError } from '../jinja-error.ts';
import { itemsOf, numberOf, show, spendText, textOf, tollOf } from '../run.ts';
import { dictOf, isDict, isList, isMissing, isTrue, kindOf } from '../values.ts';
import { type Filter, type FilterCall, numberArgument, textArgument } from './filter.ts';
import { printf } from './formatting.ts';
import { centred, linesOf } from './text.ts';

/* Filters that lay a text out, or write it for HTML, XML and addresses. */

/** Maximum width of a line, in characters. */
const WIDEST = 10_000;

const widthArgument = (given: FilterCall, place: number, name: string, absent: number): number =>
  Math.min(Math.max(Math.trunc(numberArgument(given, place, name, absent)), 0), WIDEST);

const center: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  const width = widthArgument(given, 0, 'width', 80);
  spendText(given.run, Math.max(width, text.length), given.at);
  const [before, behind] = centred(Math.max(0, width - text.length), width);
  return ' '.repeat(before) + text + ' '.repeat(behind);
};

/** Shortens a text to a length, at the end of a word; one that is longer by the leeway alone stays. */
const truncate: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  spendText(given.run, text.length, given.at);
  const length = Math.max(0, Math.trunc(numberArgument(given, 0, 'length', 255)));
  const end = textArgument(given, 2, 'end', '...');
  const leeway = Math.max(0, numberArgument(given, 3, 'leeway', 5));
  if (length < end.length)
    throw jinjaError(given.run.text, given.at, `truncate needs a length of ${end.length} or more`);
  if (text.length <= length + leeway) return text;
  const kept = text.slice(0, length - end.length);
  if (isTrue(given.argument(1, 'killwords') ?? false)) return kept + end;
  const space = kept.lastIndexOf(' ');
  return (space === -1 ? kept : kept.slice(0, space)) + end;
};

/** Breaks lines that are wider than the width, between words; a word that is wider itself is broken too. */
const wordwrap: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  const width = widthArgument(given, 0, 'width', 79);
  if (width === 0) throw jinjaError(given.run.text, given.at, 'wordwrap needs a width of 1 or more');
  const breaksWords = isTrue(given.argument(1, 'break_long_words') ?? true);
  const end = given.argument(2, 'wrapstring');
  const between = end === undefined || end === null ? '\n' : textOf(given.run, end, given.at);
  const hyphens = isTrue(given.argument(3, 'break_on_hyphens') ?? true);
  spendText(given.run, text.length, given.at);
  // an empty line stays one
  const lines = linesOf(text).flatMap((line) => {
    const wrapped = wrappedLine(line, width, breaksWords, hyphens);
    return wrapped.length === 0 ? [''] : wrapped;
  });
  spendText(given.run, text.length + lines.length * between.length, given.at);
  return lines.join(between);
};

/** As Python's `textwrap` does with blanks kept: those at a break go. */
function wrappedLine(line: string, width: number, breaksWords: boolean, hyphens: boolean): string[] {
  const waiting = (line.match(/\s+|\S+/g) ?? []).flatMap((one) => (hyphens ? hyphenParts(one) : [one]));
  waiting.reverse();
  const lines: string[] = [];
  while (waiting.length > 0) {
    if (lines.length > 0 && /^\s+$/.test(waiting.at(-1) ?? '')) waiting.pop();
    let current = '';
    for (let word = waiting.at(-1); word !== undefined; word = waiting.at(-1)) {
      if (current.length + word.length <= width) current += word;
      else if (word.length > width && breaksWords) {
        const room = width - current.length;
        current += word.slice(0, room);
        waiting[waiting.length - 1] = word.slice(room);
        break;
      } else if (current === '') current = word;
      else break;
      waiting.pop();
    }
    if (current.trimEnd() !== '') lines.push(current.trimEnd());
  }
  return lines;
}

/** Splits a word after each hyphen between letters. */
const hyphenParts = (word: string): string[] => word.split(/(?<=[\p{L}_][\p{L}\p{N}_]*-)(?=[\p{L}_]{2})/u);

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

function escaped(text: string, { run, at }: FilterCall): string {
  spendText(run, text.length * 2, at);
  return text.replace(/[&<>'"]/g, (sign) => SIGNS[sign] ?? sign);
}

const escapeHtml: Filter = (value, given) => escaped(show(given.run, value, given.at), given);

/** Writes a dict as attributes of an XML element; those without a value are left out. */
const xmlattr: Filter = (value, given) => {
  if (!isDict(value))
    throw jinjaError(given.run.text, given.at, `xmlattr needs a dict, found ${kindOf(value)}`);
  const attributes = Object.entries(value)
    .filter(([, one]) => one !== null && !isMissing(one))
    .map(([name, one]) => {
      if (/[\s/>=]/.test(name))
        throw jinjaError(given.run.text, given.at, `${JSON.stringify(name)} is no name of an attribute`);
      return `${escaped(name, given)}="${escaped(show(given.run, one, given.at), given)}"`;
    })
    .join(' ');
  return attributes !== '' && isTrue(given.argument(0, 'autospace') ?? true) ? ` ${attributes}` : attributes;
};

/** Removes comments and tags, and writes blanks as single spaces. */
const striptags: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  spendText(given.run, text.length * 2, given.at);
  return withoutTags(text).split(/\s+/).filter(Boolean).join(' ');
};

/** Removes `<!-- -->` and `<...>` in one pass over the text. */
function withoutTags(text: string): string {
  let left = '';
  for (let from = 0; from < text.length; ) {
    const open = text.indexOf('<', from);
    const end = text.startsWith('<!--', open) ? '-->' : '>';
    const close = open === -1 ? -1 : text.indexOf(end, open + 1);
    if (close === -1) return left + text.slice(from);
    left += text.slice(from, open);
    from = close + end.length;
  }
  return left;
}

const KEPT_IN_ADDRESSES = /[^A-Za-z0-9_.~/-]/gu;
const encoded = (text: string, kept = KEPT_IN_ADDRESSES): string =>
  text.replace(kept, (one) => [...new TextEncoder().encode(one)].map(percent).join(''));
const percent = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Encodes a text for a path, or a dict or a list of pairs as a query. */
const urlencode: Filter = (value, given) => {
  const { run, at } = given;
  if (!isDict(value) && !isList(value)) {
    const text = textOf(run, value, at);
    spendText(run, text.length * 3, at);
    return encoded(text);
  }
  const pairs = isDict(value) ? Object.entries(value) : itemsOf(run, value, at);
  return pairs
    .map((pair) => {
      if (!isList(pair) || pair.length !== 2)
        throw jinjaError(run.text, at, 'urlencode needs a string, a dict or a list of pairs');
      const parts = pair.map((one) => show(run, one, at));
      for (const part of parts) spendText(run, part.length * 3, at);
      // in a query a slash is encoded, and a blank is a plus sign
      return parts.map((part) => encoded(part, /[^A-Za-z0-9_.~-]/gu).replaceAll('%20', '+')).join('=');
    })
    .join('&');
};

const UNITS = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];

/** Writes a number of bytes for people: `1.5 MB`, or `1.4 MiB` for the powers of 1,024. */
const filesizeformat: Filter = (value, given) => {
  const bytes = numberOf(given.run, typeof value === 'string' ? Number(value) : value, given.at);
  const isBinary = isTrue(given.argument(0, 'binary') ?? false);
  const base = isBinary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const found = UNITS.findIndex((_, at) => bytes < base ** (at + 2));
  const power = found === -1 ? UNITS.length - 1 : found;
  const unit = isBinary ? `${(UNITS[power] ?? '').toUpperCase()}iB` : `${UNITS[power]}B`;
  return `${(bytes / base ** (power + 1)).toFixed(1)} ${unit}`;
};

/** Formats its arguments with a text, as the operator `%` does. */
const format: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  const named = given.allNamed();
  const listed = given.allListed();
  if (named.size > 0 && listed.length > 0)
    throw jinjaError(given.run.text, given.at, 'format takes either listed or named values');
  return printf(text, listed, named.size > 0 ? dictOf(named) : null, given.run, given.at);
};

const wordcount: Filter = (value, { run, at }) => {
  const text = textOf(run, value, at);
  spendText(run, text.length, at);
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
};

const print: Filter = (value, { run, at }) => {
  const text = isMissing(value) ? 'Undefined' : run.dialect.print(value, tollOf(run, at));
  spendText(run, text.length, at);
  return text;
};

/** The filters that write a text, by name. */
export const WRITTEN_FILTERS: Readonly<Record<string, Filter>> = {
  center,
  truncate,
  wordwrap,
  wordcount,
  striptags,
  format,
  filesizeformat,
  urlencode,
  xmlattr,
  escape: escapeHtml,
  e: escapeHtml,
  forceescape: escapeHtml,
  // nothing is escaped without asking, so that nothing needs to be marked as safe
  safe: (value, { run, at }) => show(run, value, at),
  pprint: print,
};
