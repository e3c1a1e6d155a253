import { isObject } from '../json/objects.ts';
import { Base64File, JsonText, Lines, PlainText } from '../json-text.ts';

/** The mask for secrets, as everywhere (contract/lifecycle#secrets). */
const MASK = '********';

/** Returns a text of a configuration with its secrets masked. */
export type MaskText = (text: string) => Promise<string>;

/** Areas whose answers carry text of configurations or output of devices. */
const AREAS = new Set([
  'automationgateway',
  'configurationManager',
  'git',
  'mop',
  'operationsManager',
  'orchestratorManager',
  'workflowBuilder',
  'workflowEngine',
]);

/** Endpoints whose answers are never masked, because they require the permission to read secrets. */
const VERBATIM = new Set(['configurationManager.getBackupWithSecrets']);

/** Returns whether the answers of an endpoint may carry text of configurations. */
export const carriesConfigurations = (path: string): boolean =>
  AREAS.has(path.slice(0, path.indexOf('.'))) && !VERBATIM.has(path);

/** Returns an answer with the secrets of every text in it masked: in values, names of members, lists of words, CSV and lines. */
export async function maskedAnswer(answer: unknown, mask: MaskText): Promise<unknown> {
  if (answer instanceof JsonText) {
    return new JsonText(JSON.stringify(await maskedValue(answer.parse(), mask)));
  }
  if (answer instanceof Base64File) return answer;
  if (answer instanceof PlainText) return new PlainText(await maskedText(answer, mask), answer.type);
  if (answer instanceof Lines) return new Lines(maskedLines(answer.source, mask));
  return maskedValue(answer, mask);
}

async function* maskedLines(source: AsyncIterable<unknown>, mask: MaskText): AsyncGenerator<unknown> {
  for await (const one of source) yield await maskedValue(one, mask);
}

const maskedText = ({ text, type }: PlainText, mask: MaskText): Promise<string> =>
  type.startsWith('text/csv') ? maskedCsv(text, mask) : mask(text);

/** Masks each cell, so that the quotes of a cell stay in their places. */
async function maskedCsv(text: string, mask: MaskText): Promise<string> {
  const parts: string[] = [];
  for (const [part] of text.matchAll(/"(?:[^"]|"")*"?|[^",\r\n]+|[,\r\n]+/g)) {
    if (!part.startsWith('"')) parts.push(await mask(part));
    else parts.push(`"${(await mask(part.slice(1, -1).replaceAll('""', '"'))).replaceAll('"', '""')}"`);
  }
  return parts.join('');
}

async function maskedValue(value: unknown, mask: MaskText): Promise<unknown> {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return maskedList(value, mask);
  if (!isObject(value) || value instanceof Date) return value;
  if (value instanceof JsonText) return maskedAnswer(value, mask);
  const masked: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const shown = await mask(name);
    const isTaken = shown !== name && Object.hasOwn(masked, shown);
    masked[isTaken ? `${shown} (${Object.keys(masked).length})` : shown] = await maskedValue(member, mask);
  }
  return masked;
}

/** Returns the word of an element of a parsed line: itself, or the `value` of a part of a rule; null for other elements. */
function wordOf(one: unknown): string | null {
  const word = isObject(one) ? one.value : one;
  return typeof word === 'string' && word !== '' && !/\s/.test(word) ? word : null;
}

/** The words of a parsed line are elements of a list: a secret is recognised by the words before it. */
async function maskedList(list: readonly unknown[], mask: MaskText): Promise<unknown[]> {
  const words = list.map(wordOf);
  const isOfWords =
    words.filter((word) => word !== null).length > 1 &&
    list.every((one, at) => words[at] !== null || isObject(one));
  const line = isOfWords ? words.map((word) => word ?? '?').join(' ') : '';
  const masked = isOfWords ? await mask(line) : '';
  const from = masked === line ? Number.POSITIVE_INFINITY : masked.indexOf(MASK);
  const shown: unknown[] = [];
  let at = 0;
  for (const [index, one] of list.entries()) {
    const word = words[index];
    const isSecret = at >= from && typeof word === 'string';
    const value = isSecret && !isObject(one) ? MASK : await maskedValue(one, mask);
    shown.push(isSecret && isObject(value) ? { ...value, value: MASK } : value);
    at += (word ?? '?').length + 1;
  }
  return shown;
}

/** The mask as a word of its own: lines of more asterisks are ornaments of banners. */
const MASKED = /(?<!\*)\*{8}(?!\*)/;

/** Most places that are named. */
const MOST = 50;

/**
 * Returns the places of an input that hold a mask: who reads configurations with masks would store the masks in place of the
 * secrets.
 */
export function masksIn(input: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof input === 'string') return MASKED.test(input) ? [path] : [];
  if (typeof input !== 'object' || input === null) return [];
  const found: (string | number)[][] = [];
  for (const [name, member] of Object.entries(input)) {
    if (found.length >= MOST) break;
    found.push(...masksIn(member, [...path, Array.isArray(input) ? Number(name) : name]));
  }
  return found;
}
