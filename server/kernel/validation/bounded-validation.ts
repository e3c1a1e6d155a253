import { type $ZodType, globalRegistry, type ParsePayload, util } from 'zod/v4/core';
import { MOST_ISSUES } from '../errors.ts';
import { isObject } from '../json/objects.ts';

/** Elements that are validated before the issues are counted. */
const SLICE = 64;

type Def = $ZodType['_zod']['def'];
type Parse = $ZodType['_zod']['parse'];
type Context = Parameters<Parse>[1];

const bounded = new WeakSet<$ZodType>();

/**
 * Makes a schema stop soon after it has found 100 issues. Zod itself validates every element of an array and keeps
 * every issue: a body of 16 MiB with wrong elements took minutes and more than 6 GB. Arrays and records are therefore
 * validated slice by slice, each by Zod's own function, until there are enough issues; every other kind of schema has a
 * bounded number of fields.
 *
 * A record whose metadata has `maxProperties` is rejected before its fields are validated.
 *
 * Changes the schema and its parts in place, once.
 */
export function boundIssues(schema: $ZodType): void {
  const open = [schema];
  for (let next = open.pop(); next; next = open.pop()) {
    if (bounded.has(next)) continue;
    bounded.add(next);
    boundOne(next);
    open.push(...partsOf(next));
  }
}

function boundOne(schema: $ZodType): void {
  const { _zod: inner } = schema;
  const { parse } = inner;
  const { type } = inner.def;
  if (type !== 'array' && type !== 'record') return;
  const most = Number(globalRegistry.get(schema)?.maxProperties ?? Number.POSITIVE_INFINITY);
  const bounding: Parse = (payload, context) => {
    const { value } = payload;
    if (type === 'array' && Array.isArray(value)) return parseArray(parse, value, payload, context);
    // A record with listed keys has a bounded number of values, and would report the keys outside a slice as missing.
    if (type === 'record' && isObject(value) && !listsKeys(inner.def)) {
      // A copy of an object with many fields takes as long as parsing its text, and would be the same.
      if (hasAnyFields(inner.def) && util.isPlainObject(value))
        return Object.keys(value).length > most ? tooManyFields(payload, most) : payload;
      return parseRecord(parse, value, payload, context, most);
    }
    return parse(payload, context);
  };
  // A schema without checks of its own uses `parse` itself as `run`.
  if (inner.run === parse) inner.run = bounding;
  inner.parse = bounding;
}

function parseArray(parse: Parse, input: readonly unknown[], payload: ParsePayload, context: Context) {
  if (input.length <= SLICE) return trim(parse(payload, context));
  const values: unknown[] = [];
  for (let from = 0; from < input.length && payload.issues.length <= MOST_ISSUES; from += SLICE) {
    const slice: ParsePayload = { value: input.slice(from, from + SLICE), issues: [] };
    const parsed = synchronous(parse(slice, context));
    for (const issue of parsed.issues) {
      const [at, ...rest] = issue.path ?? [];
      payload.issues.push({ ...issue, path: typeof at === 'number' ? [at + from, ...rest] : [] });
    }
    for (const value of parsed.value as unknown[]) values.push(value);
  }
  payload.value = values;
  return trim(payload);
}

function parseRecord(
  parse: Parse,
  input: Readonly<Record<string, unknown>>,
  payload: ParsePayload,
  context: Context,
  most: number,
) {
  const names = Object.keys(input);
  if (names.length > most) return tooManyFields(payload, most);
  if (names.length <= SLICE) return trim(parse(payload, context));
  const values = {};
  for (let from = 0; from < names.length && payload.issues.length <= MOST_ISSUES; from += SLICE) {
    const slice: Record<string, unknown> = {};
    for (const name of names.slice(from, from + SLICE)) slice[name] = input[name];
    const parsed = synchronous(parse({ value: slice, issues: [] }, context));
    for (const issue of parsed.issues) payload.issues.push(issue);
    Object.assign(values, parsed.value);
  }
  payload.value = values;
  return trim(payload);
}

function tooManyFields(payload: ParsePayload, most: number): ParsePayload {
  const { value: input } = payload;
  const message = `must be at most ${most}`;
  payload.issues.push({ code: 'too_big', origin: 'record', maximum: most, input, message });
  return payload;
}

/** Keeps one issue more than a response lists, which shows that there are more. */
function trim(parsed: ParsePayload | Promise<ParsePayload>) {
  const payload = synchronous(parsed);
  if (payload.issues.length > MOST_ISSUES + 1) payload.issues.length = MOST_ISSUES + 1;
  return payload;
}

function synchronous(parsed: ParsePayload | Promise<ParsePayload>): ParsePayload {
  if (parsed instanceof Promise) throw new Error('schemas of requests must be synchronous');
  return parsed;
}

const listsKeys = (def: Def) => 'keyType' in def && (def.keyType as $ZodType)._zod.values !== undefined;

const isUnchecked = ({ _zod: { def } }: $ZodType) => (def.checks ?? []).length === 0;

/** Returns whether a record accepts every name and value, and changes none. */
const hasAnyFields = (def: Def) =>
  'keyType' in def &&
  'valueType' in def &&
  [def.keyType as $ZodType, def.valueType as $ZodType].every(isUnchecked) &&
  isPlainText((def.keyType as $ZodType)._zod.def) &&
  (def.valueType as $ZodType)._zod.def.type === 'unknown';

const isPlainText = (def: Def) =>
  def.type === 'string' && !('format' in def) && !('coerce' in def && def.coerce);

/** Returns the schemas that a schema consists of. */
function partsOf({ _zod: { def } }: $ZodType): $ZodType[] {
  const parts: $ZodType[] = [];
  const collect = (value: unknown, depth: number) => {
    if (typeof value !== 'object' || value === null) return;
    if ('_zod' in value) parts.push(value as $ZodType);
    else if (depth > 0) for (const one of Object.values(value)) collect(one, depth - 1);
  };
  // `shape`, `options` and `items` hold schemas one level down.
  for (const value of Object.values(def)) collect(value, 1);
  return parts;
}
