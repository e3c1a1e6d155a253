import type { JsonObject } from '#server/kernel/json/objects.ts';
import { pointerNames } from '../json/pointer.ts';

/** Most nodes of a schema, with references expanded, that is checked in the calling thread. */
const MOST_NODES = 400;
/** Most work in the calling thread, as nodes times characters and fields of the value: a few milliseconds. */
const MOST_WORK = 200_000;
/** Deeper schemas and values are left to a thread. */
const DEEPEST = 100;

/** Formats whose expressions read each character once. */
const LINEAR_FORMATS = new Set([
  'date',
  'time',
  'date-time',
  'ipv4',
  'uuid',
  'int32',
  'int64',
  'float',
  'double',
]);

/** Expressions that compile quickly and take about one step for each character. */
const PLAIN_PATTERN = /^(?!.*(?:\\[pPQ]|\(\?))[\x20-\x7e]{0,100}$/;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Returns whether checking a value by a schema is certain to take at most a few milliseconds. When false, nothing is
 * known: the schema may be expensive or merely unusual.
 *
 * Each node of a schema, with references expanded, is applied to each part of the value at most once, so the product
 * bounds the work. `uniqueItems` compares each item with every other item.
 *
 * @param schema JSON schema
 * @param value any JSON value
 */
export function isCheapToCheck(schema: unknown, value: unknown): boolean {
  const cost = costOf(schema);
  if (cost === null) return false;
  const size = sizeOf(value, MOST_WORK / cost.nodes, cost.readsTexts);
  return cost.nodes * size * (cost.comparesItems ? size : 1) <= MOST_WORK;
}

/** Returns whether compiling a schema is certain to take at most a few milliseconds. */
export const isCheapToCompile = (schema: unknown): boolean => costOf(schema) !== null;

/** The cost of checking by a schema: `readsTexts` when it may read every character of a text, not only its type. */
type Cost = { nodes: number; comparesItems: boolean; readsTexts: boolean };

/** Returns the cost of a schema; null when it exceeds `MOST_NODES` or is unknown. */
function costOf(schema: unknown): Cost | null {
  const count: Cost = { nodes: 0, comparesItems: false, readsTexts: false };
  return isWithin(schema, { root: schema, count, open: new Set() }) ? count : null;
}

type Walk = { root: unknown; count: Cost; open: Set<object> };

/** Counts a part of a schema and its references. @returns false when the cost exceeds the limit or is unknown */
function isWithin(part: unknown, walk: Walk): boolean {
  walk.count.nodes += 1;
  if (walk.count.nodes > MOST_NODES) return false;
  if (!isObject(part)) return true;
  // A part inside itself is a recursive reference.
  if (walk.open.has(part) || walk.open.size > DEEPEST) return false;
  walk.open.add(part);
  const fits = Object.entries(part).every(
    ([name, inner]) => isKnown(name, inner, walk) && isWithin(inner, walk),
  );
  walk.open.delete(part);
  return fits;
}

/** Keywords that read every character of a text; `uniqueItems` also compares texts with each other. */
const READS_TEXTS = new Set([
  'pattern',
  'patternProperties',
  'format',
  'minLength',
  'maxLength',
  'const',
  'enum',
  'uniqueItems',
]);

/** Counts keywords that cost more than their nodes. @returns false when the cost is unknown */
function isKnown(name: string, value: unknown, { root, count, open }: Walk): boolean {
  if (READS_TEXTS.has(name)) count.readsTexts = true;
  switch (name) {
    case '$ref': {
      if (typeof value !== 'string') return true;
      const target = targetOf(root, value);
      return target !== undefined && isWithin(target, { root, count, open });
    }
    case 'pattern':
      return typeof value !== 'string' || isPlain(value, count);
    case 'patternProperties':
      return !isObject(value) || Object.keys(value).every((pattern) => isPlain(pattern, count));
    case 'format':
      return typeof value !== 'string' || LINEAR_FORMATS.has(value);
    case 'uniqueItems':
      count.comparesItems = true;
      return true;
    case '$dynamicRef':
    case '$recursiveRef':
    case '$anchor':
    case '$dynamicAnchor':
      return typeof value !== 'string';
    default:
      return true;
  }
}

function isPlain(pattern: string, count: Walk['count']): boolean {
  // Compiling expands repetitions.
  if (!PLAIN_PATTERN.test(pattern) || /\{\d/.test(pattern)) return false;
  count.nodes += 2 * pattern.length;
  return true;
}

/** Returns the target of a reference within a schema; undefined for other references, and for those without a target. */
function targetOf(root: unknown, reference: string): unknown {
  // References with percent encoding are rare and left to a thread.
  const names = /^#[^%]*$/.test(reference) ? pointerNames(reference.slice(1)) : null;
  if (!names) return undefined;
  let at = root;
  for (const field of names) {
    if (!isObject(at) || !Object.hasOwn(at, field)) return undefined;
    at = (at as JsonObject)[field];
  }
  return at;
}

/**
 * Counts the fields of a value, and its characters where they are read, up to `most`; infinite when it nests too deeply.
 */
function sizeOf(value: unknown, most: number, readsTexts: boolean): number {
  let size = 0;
  const count = (part: unknown, depth: number): void => {
    size += 1;
    if (typeof part === 'string' && readsTexts) size += part.length;
    if (!isObject(part) || size > most) return;
    if (depth > DEEPEST) {
      size = Number.POSITIVE_INFINITY;
      return;
    }
    for (const name in part) {
      size += Array.isArray(part) ? 0 : name.length;
      count((part as JsonObject)[name], depth + 1);
      if (size > most) return;
    }
  };
  count(value, 0);
  return size;
}
