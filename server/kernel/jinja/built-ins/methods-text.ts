import { indexOfText, lastIndexOfText, splitText } from '../../text/text-search.ts';
import { jinjaError } from '../jinja-error.ts';
import { itemsOf, numberOf, spendText, textOf } from '../run.ts';
import { isList, tuple } from '../values.ts';
import type { Call } from './call.ts';
import { formatFields } from './formatting.ts';
import { capitalised, centred, isInCase, linesOf, titled, trimmed } from './text.ts';

type TextMethod = (text: string, call: Call) => unknown;

const argument = ({ listed, named }: Call, place: number, name: string): unknown =>
  named.has(name) ? named.get(name) : listed[place];

function text(call: Call, place: number, name: string, absent?: string): string {
  const value = argument(call, place, name);
  if (value === undefined && absent !== undefined) return absent;
  if (typeof value === 'string') return value;
  if (value === undefined) throw jinjaError(call.run.text, call.at, `the argument ${name} is missing`);
  return textOf(call.run, value, call.at);
}

function number(call: Call, place: number, name: string, absent: number): number {
  const value = argument(call, place, name);
  return value === undefined || value === null ? absent : Math.trunc(numberOf(call.run, value, call.at));
}

/** Returns a method that looks at the part of a text between two optional places. */
const inPart =
  (look: (part: string, wanted: string, from: number) => unknown): TextMethod =>
  (whole, call) => {
    const [from, to] = [number(call, 1, 'start', 0), number(call, 2, 'end', whole.length)];
    const start = from < 0 ? Math.max(0, from + whole.length) : from;
    return look(whole.slice(start, to), text(call, 0, 'sub'), start);
  };

/** Returns a method that tries a beginning or an end, or each of several. */
const tried =
  (holds: (whole: string, part: string) => boolean): TextMethod =>
  (whole, call) => {
    const [given] = call.listed;
    const parts = isList(given) ? given : [given ?? ''];
    return parts.some((part) => holds(whole, textOf(call.run, part, call.at)));
  };

const stripped =
  (ends: 'both' | 'start' | 'end'): TextMethod =>
  (whole, call) => {
    const chars = argument(call, 0, 'chars');
    return trimmed(whole, typeof chars === 'string' ? chars : null, ends);
  };

const split =
  (fromEnd: boolean): TextMethod =>
  (whole, call) => {
    const by = argument(call, 0, 'sep');
    const most = number(call, 1, 'maxsplit', -1);
    spendText(call.run, whole.length, call.at);
    if (by === undefined || by === null) return splitAtBlanks(whole, most, fromEnd);
    const separator = textOf(call.run, by, call.at);
    if (separator === '')
      throw jinjaError(call.run.text, call.at, 'split needs a separator that is not empty');
    const pieces = splitText(whole, separator);
    if (most < 0 || pieces.length <= most + 1) return pieces;
    return fromEnd
      ? [pieces.slice(0, pieces.length - most).join(separator), ...pieces.slice(pieces.length - most)]
      : [...pieces.slice(0, most), pieces.slice(most).join(separator)];
  };

function splitAtBlanks(whole: string, most: number, fromEnd: boolean): string[] {
  const words = [...whole.matchAll(/\S+/g)];
  if (most < 0 || words.length <= most + 1) return words.map(([word]) => word);
  if (fromEnd) {
    const rest = words[words.length - most - 1];
    const end = rest ? rest.index + rest[0].length : 0;
    return [whole.slice(0, end).trimStart(), ...words.slice(words.length - most).map(([word]) => word)];
  }
  return [...words.slice(0, most).map(([word]) => word), whole.slice(words[most]?.index ?? 0).trimEnd()];
}

const partition =
  (fromEnd: boolean): TextMethod =>
  (whole, call) => {
    const by = text(call, 0, 'sep');
    const found = fromEnd ? lastIndexOfText(whole, by) : indexOfText(whole, by);
    if (found === -1) return tuple(fromEnd ? ['', '', whole] : [whole, '', '']);
    return tuple([whole.slice(0, found), by, whole.slice(found + by.length)]);
  };

/** Returns a method that pads a text to a width. */
const filled =
  (parts: (gap: number, width: number) => [number, number]): TextMethod =>
  (whole, call) => {
    const width = number(call, 0, 'width', 0);
    spendText(call.run, Math.max(width, whole.length), call.at);
    const fill = text(call, 1, 'fillchar', ' ');
    const [before, after] = parts(Math.max(0, width - whole.length), width);
    return fill.repeat(before) + whole + fill.repeat(after);
  };

const zeroFilled: TextMethod = (whole, call) => {
  const width = number(call, 0, 'width', 0);
  spendText(call.run, Math.max(width, whole.length), call.at);
  const sign = /^[-+]/.exec(whole)?.[0] ?? '';
  return sign + whole.slice(sign.length).padStart(width - sign.length, '0');
};

const replace: TextMethod = (whole, call) => {
  const [old, fresh] = [text(call, 0, 'old'), text(call, 1, 'new')];
  const most = number(call, 2, 'count', -1);
  const pieces = splitText(whole, old);
  spendText(call.run, whole.length + pieces.length * fresh.length, call.at);
  if (most < 0) return pieces.join(fresh);
  return [pieces.slice(0, most + 1).join(fresh), ...pieces.slice(most + 1)].join(old);
};

const join: TextMethod = (by, call) => {
  const items = itemsOf(call.run, call.listed[0], call.at).map((one) => {
    if (typeof one === 'string') return one;
    throw jinjaError(
      call.run.text,
      call.at,
      'the method join needs strings: the filter join accepts all values',
    );
  });
  spendText(
    call.run,
    items.reduce((sum, one) => sum + one.length + by.length, 0),
    call.at,
  );
  return items.join(by);
};

const matches =
  (form: RegExp): TextMethod =>
  (whole) =>
    form.test(whole);

/**
 * The methods of strings, by name.
 *
 * @see https://docs.python.org/3/library/stdtypes.html#string-methods
 */
export const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ['upper', (whole) => whole.toUpperCase()],
  ['lower', (whole) => whole.toLowerCase()],
  ['casefold', (whole) => whole.toLowerCase()],
  ['capitalize', (whole) => capitalised(whole)],
  ['title', (whole) => titled(whole)],
  [
    'swapcase',
    (whole) =>
      whole.replace(/\p{L}/gu, (one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())),
  ],
  ['strip', stripped('both')],
  ['lstrip', stripped('start')],
  ['rstrip', stripped('end')],
  ['startswith', tried((whole, part) => whole.startsWith(part))],
  ['endswith', tried((whole, part) => whole.endsWith(part))],
  [
    'removeprefix',
    (whole, call) => {
      const part = text(call, 0, 'prefix');
      return whole.startsWith(part) ? whole.slice(part.length) : whole;
    },
  ],
  [
    'removesuffix',
    (whole, call) => {
      const part = text(call, 0, 'suffix');
      return part !== '' && whole.endsWith(part) ? whole.slice(0, -part.length) : whole;
    },
  ],
  ['split', split(false)],
  ['rsplit', split(true)],
  ['splitlines', (whole, call) => linesOf(whole, argument(call, 0, 'keepends') === true)],
  ['partition', partition(false)],
  ['rpartition', partition(true)],
  ['replace', replace],
  ['join', join],
  ['ljust', filled((gap) => [0, gap])],
  ['rjust', filled((gap) => [gap, 0])],
  ['center', filled(centred)],
  ['zfill', zeroFilled],
  ['format', (whole, { listed, named, run, at }) => formatFields(whole, listed, named, run, at)],
  ['count', inPart((part, wanted) => (wanted === '' ? part.length + 1 : splitText(part, wanted).length - 1))],
  ['find', inPart((part, wanted, from) => placed(indexOfText(part, wanted), from))],
  ['rfind', inPart((part, wanted, from) => placed(lastIndexOfText(part, wanted), from))],
  ['index', (whole, call) => foundPlace(indexOfText(whole, text(call, 0, 'sub')), call)],
  ['rindex', (whole, call) => foundPlace(lastIndexOfText(whole, text(call, 0, 'sub')), call)],
  [
    'expandtabs',
    (whole, call) => {
      const width = Math.min(Math.max(number(call, 0, 'tabsize', 8), 0), 100);
      spendText(call.run, whole.split('\t').length * width + whole.length, call.at);
      return whole
        .split('\n')
        .map((line) =>
          line.split('\t').reduce((done, part) => {
            return width === 0 ? done + part : done + ' '.repeat(width - (done.length % width)) + part;
          }),
        )
        .join('\n');
    },
  ],
  ['isdigit', matches(/^\p{Nd}+$/u)],
  ['isdecimal', matches(/^\p{Nd}+$/u)],
  ['isnumeric', matches(/^\p{N}+$/u)],
  ['isalpha', matches(/^\p{L}+$/u)],
  ['isalnum', matches(/^[\p{L}\p{N}]+$/u)],
  ['isspace', matches(/^\s+$/)],
  ['isidentifier', matches(/^[\p{L}_][\p{L}\p{N}_]*$/u)],
  ['isupper', (whole) => isInCase(whole, 'upper')],
  ['islower', (whole) => isInCase(whole, 'lower')],
  ['istitle', (whole) => /\p{L}/u.test(whole) && whole === titled(whole)],
]);

const placed = (found: number, from: number) => (found === -1 ? -1 : found + from);

function foundPlace(found: number, { run, at }: Call): number {
  if (found !== -1) return found;
  throw jinjaError(run.text, at, 'the text is not found');
}
