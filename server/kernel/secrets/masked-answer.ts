import { createHash } from 'node:crypto';
import { TEXT_HASHES } from '#db/text-hashes.ts';
import { isObject } from '../json/objects.ts';
import { sizeOf } from '../json/value-size.ts';
import { Base64File, JsonText, Lines, PlainText, TextParts } from '../json-text.ts';

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
  'search',
  'workflowBuilder',
  'workflowEngine',
]);

/** Endpoints whose answers are never masked, because they require the permission to read secrets. */
const VERBATIM = new Set(['configurationManager.getBackupWithSecrets']);

/**
 * Returns whether the answers of an endpoint may carry text of configurations.
 *
 * @param path area and name of the endpoint's procedure, joined by a dot
 */
export const carriesConfigurations = (path: string): boolean =>
  AREAS.has(path.slice(0, path.indexOf('.'))) && !VERBATIM.has(path);

/**
 * Returns the same for an endpoint by its permission, for work that no request carries.
 *
 * @param permission `ConfigurationManager.getBackup`
 */
export const permitsConfigurations = (permission: string): boolean =>
  carriesConfigurations(permission.charAt(0).toLowerCase() + permission.slice(1));

/** How secrets are found in a text: in JSON by its values, in CSV by its cells. */
export type TextForm = 'json' | 'csv' | 'text';

/** Masks a text elsewhere: this thread would not serve others meanwhile. */
export type MaskElsewhere = (form: TextForm, text: string) => Promise<string>;

/** Characters that are masked at once: some milliseconds of work. */
const MOST_AT_ONCE = 100_000;

/**
 * Returns an answer with the secrets of every text in it masked: in values, names of properties, lists of words, CSV and lines.
 *
 * @param elsewhere masks what is longer than 100,000 characters; absent: the same as everything else
 */
export async function maskedAnswer(
  answer: unknown,
  mask: MaskText,
  elsewhere?: MaskElsewhere,
): Promise<unknown> {
  const masked = (form: TextForm, text: string) =>
    elsewhere && text.length > MOST_AT_ONCE ? elsewhere(form, text) : maskedText(form, text, mask);
  if (answer instanceof JsonText) return new JsonText(await masked('json', answer.text));
  if (answer instanceof Base64File) return answer;
  if (answer instanceof PlainText) {
    return new PlainText(await masked(formOf(answer.type), answer.text), answer.type);
  }
  if (answer instanceof TextParts) {
    const { source, type } = answer;
    return new TextParts(
      mapped(source, (text) => masked(formOf(type), text)),
      type,
    );
  }
  if (answer instanceof Lines) {
    return new Lines(mapped(answer.source, (one) => maskedAnswer(one, mask, elsewhere)));
  }
  if (elsewhere && sizeOf(answer, MOST_AT_ONCE) > MOST_AT_ONCE) {
    return new JsonText(await elsewhere('json', JSON.stringify(answer)));
  }
  return maskedValue(answer, mask);
}

async function* mapped<Item, Result>(
  source: AsyncIterable<Item>,
  each: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  for await (const one of source) yield await each(one);
}

const formOf = (type: string): TextForm => (type.startsWith('text/csv') ? 'csv' : 'text');

/** Returns a text with its secrets masked. */
export async function maskedText(form: TextForm, text: string, mask: MaskText): Promise<string> {
  if (form === 'json') return JSON.stringify(await maskedValue(JSON.parse(text), mask));
  return form === 'csv' ? maskedCsv(text, mask) : mask(text);
}

/** Masks each cell, so that the quotes of a cell stay in their places. */
async function maskedCsv(text: string, mask: MaskText): Promise<string> {
  const parts: string[] = [];
  for (const [part] of text.matchAll(/"(?:[^"]|"")*"?|[^",\r\n]+|[,\r\n]+/g)) {
    if (!part.startsWith('"')) parts.push(await mask(part));
    else parts.push(`"${(await mask(part.slice(1, -1).replaceAll('""', '"'))).replaceAll('"', '""')}"`);
  }
  return parts.join('');
}

/**
 * @param above the lines above those of the value: some announce the secrets of lines below them
 */
async function maskedValue(value: unknown, mask: MaskText, above: readonly string[] = []): Promise<unknown> {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return maskedList(value, mask, above);
  if (!isObject(value) || value instanceof Date) return value;
  if (value instanceof JsonText) return maskedAnswer(value, mask);
  const lines = {
    above,
    withParents: isTexts(value.parents) ? [...above, ...value.parents] : above,
    own: Array.isArray(value.words) ? lineOf(value.words) : undefined,
  };
  const masked: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const shown = await mask(name);
    const isTaken = shown !== name && Object.hasOwn(masked, shown);
    masked[isTaken ? `${shown} (${Object.keys(masked).length})` : shown] = await maskedField(
      name,
      field,
      lines,
      mask,
    );
  }
  return typeof value.configSha256 === 'string' ? { ...masked, ...hashesOfProposal(value, masked) } : masked;
}

/** The lines that are known of an object: those above it, these with its `parents`, and the line that it is itself. */
type KnownLines = { above: readonly string[]; withParents: readonly string[]; own: string | undefined };

async function maskedField(
  name: string,
  field: unknown,
  { above, withParents, own }: KnownLines,
  mask: MaskText,
): Promise<unknown> {
  if (TEXT_HASHES.has(name) && typeof field === 'string') return MASK;
  if (LINES_OF_RULES.has(name) && typeof field === 'string') return maskedRule(withParents, field, mask);
  if (LISTS_OF_LINES.has(name) && isTexts(field)) {
    // The lines in `parents` are themselves the first ones below those above.
    const shown = await maskedLines(name === 'parents' ? above : withParents, field, mask);
    return maskedList(shown, mask, withParents);
  }
  return maskedValue(field, mask, name === 'lines' && own ? [...withParents, own] : withParents);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Fields of a rule, an issue or a change of a proposal that hold a line, or lines: those above them are in `parents`. */
const LINES_OF_RULES: ReadonlySet<string> = new Set(['message', 'rule', 'old', 'new', 'after']);
const LISTS_OF_LINES: ReadonlySet<string> = new Set(['parents', 'found']);

/** What is before the line of a rule that forbids it, and before the line in the message of an issue. */
const LEAD = /^(?:no|Required line is missing|Disallowed line is present|Line is out of order): /;

/**
 * A line within a key or certificate in PEM. A parsed configuration has each line of it apart from the one that begins the
 * key, also in lists of rules in another order: nothing but its form tells that it may be secret. A short last line is one
 * where it is padded.
 */
const PEM_LINE =
  /^\s*(?:(?=.{0,200}[a-z])(?=.{0,200}[A-Z])[A-Za-z0-9+/]{40,200}={0,2}|[A-Za-z0-9+/]{2,39}={1,2})\s*$/;

/** Returns the line of a rule, or of an issue about one, with its secrets masked. */
async function maskedRule(above: readonly string[], text: string, mask: MaskText): Promise<string> {
  const lead = LEAD.exec(text)?.[0] ?? '';
  const line = text.slice(lead.length);
  return lead + (PEM_LINE.test(line) ? MASK : await maskedBelow(above, line, mask));
}

/** Returns lines with the secrets masked that lines above them announce: those in the list, too. */
const maskedLines = (above: readonly string[], lines: readonly string[], mask: MaskText): Promise<string[]> =>
  Promise.all(
    lines.map((line, at) =>
      PEM_LINE.test(line) ? MASK : maskedBelow([...above, ...lines.slice(0, at)], line, mask),
    ),
  );

/** Returns a text with its secrets masked, also those that the lines above it announce. */
async function maskedBelow(above: readonly string[], text: string, mask: MaskText): Promise<string> {
  if (above.length === 0) return mask(text);
  const before = above.join('\n');
  return (await mask(`${before}\n${text}`)).split('\n').slice(before.split('\n').length).join('\n');
}

/** Returns the hash of the text that a proposal or an approval is about. */
const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns the hashes of a proposal for a reader of masks: of the text with masks, which that reader approves. Hashes of
 * other texts are masked, because each would confirm a guess of the secrets in its text.
 */
function hashesOfProposal(value: Record<string, unknown>, masked: Record<string, unknown>) {
  const { config, configSha256, approvals } = value;
  const known = typeof masked.config === 'string' && typeof config === 'string' ? masked.config : undefined;
  const own = known === undefined ? MASK : known === config ? configSha256 : hashOfText(known);
  if (!Array.isArray(approvals)) return { configSha256: own };
  const shown = approvals.map((one: unknown, at) => {
    const approval = (masked.approvals as unknown[])[at];
    const isOfOwn = isObject(one) && one.configSha256 === configSha256;
    return isObject(approval) ? { ...approval, configSha256: isOfOwn ? own : MASK } : approval;
  });
  return { configSha256: own, approvals: shown };
}

/** Returns the word of an element of a parsed line: itself, or the `value` of a part of a rule; null for other elements. */
function wordOf(one: unknown): string | null {
  const word = isObject(one) ? one.value : one;
  return typeof word === 'string' && word !== '' && !/\s/.test(word) ? word : null;
}

/** Returns the line of parsed words; a part that is no single word, such as an expression with blanks, is a question mark. */
const lineOf = (list: readonly unknown[]): string => list.map((one) => wordOf(one) ?? '?').join(' ');

/** A line of a comparison: kept, added or removed (0, 1, -1), and its text. */
type DiffLine = readonly [number, string];

const isDiff = (list: readonly unknown[]): list is readonly DiffLine[] =>
  list.length > 0 &&
  list.every(
    (one) =>
      Array.isArray(one) && one.length === 2 && typeof one[0] === 'number' && typeof one[1] === 'string',
  );

/** Returns texts masked as the lines of one text: some announce the secrets of lines below them. */
async function maskedTogether(texts: readonly string[], mask: MaskText): Promise<string[]> {
  const shown = (await mask(texts.join('\n'))).split('\n');
  let at = 0;
  return texts.map((text) => {
    const from = at;
    at += text.split('\n').length;
    return shown.slice(from, at).join('\n');
  });
}

/** Returns the lines of a comparison with their secrets masked. */
async function maskedDiff(list: readonly DiffLine[], mask: MaskText): Promise<unknown[]> {
  const shown = await maskedTogether(
    list.map(([, text]) => text),
    mask,
  );
  return list.map(([kind], at) => [kind, shown[at]]);
}

/**
 * The words of a parsed line are elements of a list: a secret is recognised by the words before it. So are the lines of an
 * output, where a line above may announce it.
 */
async function maskedList(
  given: readonly unknown[],
  mask: MaskText,
  above: readonly string[],
): Promise<unknown[]> {
  if (isDiff(given)) return maskedDiff(given, mask);
  const list = given.length > 1 && isTexts(given) ? await maskedTogether(given, mask) : given;
  const words = list.map(wordOf);
  const [only] = words;
  if (list.length === 1 && typeof only === 'string' && PEM_LINE.test(only))
    return [isObject(list[0]) ? { ...list[0], value: MASK } : MASK];
  const isOfWords =
    words.filter((word) => word !== null).length > (above.length > 0 ? 0 : 1) &&
    list.every((one, at) => words[at] !== null || isObject(one));
  const line = isOfWords ? lineOf(list) : '';
  const masked = isOfWords ? await maskedBelow(above, line, mask) : '';
  const from = masked === line ? Number.POSITIVE_INFINITY : masked.indexOf(MASK);
  const shown: unknown[] = [];
  let at = 0;
  for (const [index, one] of list.entries()) {
    const word = words[index];
    const isSecret = typeof word === 'string' && at + word.length > from;
    const hidden = isSecret ? `${word.slice(0, Math.max(0, from - at))}${MASK}` : MASK;
    const value = isSecret && !isObject(one) ? hidden : await maskedValue(one, mask, above);
    shown.push(isSecret && isObject(value) ? { ...value, value: hidden } : value);
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
 *
 * @param input as JSON.parse returns it
 * @param path of the input in the request, to which the places are appended
 * @returns paths of the places: at most about 50, and no more are looked for
 */
export function masksIn(input: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof input === 'string') return MASKED.test(input) ? [path] : [];
  if (typeof input !== 'object' || input === null) return [];
  const found: (string | number)[][] = [];
  for (const [name, field] of Object.entries(input)) {
    if (found.length >= MOST) break;
    found.push(...masksIn(field, [...path, Array.isArray(input) ? Number(name) : name]));
  }
  return found;
}
