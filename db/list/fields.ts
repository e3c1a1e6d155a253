import type { z } from 'zod';
import { foreignValues } from '../schemas/fields.ts';
import { BOUNDS } from './query.ts';

/** The type of a field's value; `object` is anything without a single value, usable for projection only. */
export type FieldType = 'text' | 'number' | 'boolean' | 'object';

/** A field of a document. */
export type Field = {
  name: string;
  path: readonly string[];
  type: FieldType;
  /** The only texts that the field can be compared with; undefined for any text. */
  choices: readonly string[] | undefined;
  /** The path crosses arrays: a filter matches any element, and there is no single value to sort by. */
  many: boolean;
  /** The path as a jsonpath without its mode, `$."tags"[*]`. */
  jsonpath: string;
};

/** A schema without wrappers, or `free` where any value is allowed. */
type Node = z.core.$ZodTypes | 'free';

/** The schemas allowed at one path, and how many arrays enclose them. */
type SchemaLevel = { nodes: Set<Node>; arrays: number };

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const CACHED = 500;
const cache = new WeakMap<z.core.$ZodType, Map<string, Field | undefined>>();

/**
 * Returns the field that a dotted name refers to, as its schema declares it: through optionals, unions, lazies, arrays,
 * and any key of a record. Properties that an open object merely tolerates are not fields.
 *
 * @param name e.g. `metrics.owner`, at most 8 segments
 * @returns undefined for a name that the schema does not declare
 */
export function fieldOf(schema: z.core.$ZodType, name: string): Field | undefined {
  const known = cache.get(schema) ?? new Map<string, Field | undefined>();
  cache.set(schema, known);
  if (known.has(name)) return known.get(name);
  const field = resolve(schema, name);
  // Names come from callers, and a record accepts any key: the cache must not grow without limit.
  if (known.size < CACHED) known.set(name, field);
  return field;
}

/** Returns whether PostgreSQL can store a text: it has no NUL and no unpaired surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/** Returns the names of a schema's top-level fields, for error messages. */
export function fieldNamesOf(schema: z.core.$ZodType): string[] {
  const names = new Set<string>();
  for (const node of levelOf([schema]).nodes) {
    if (node !== 'free' && node._zod.def.type === 'object') {
      for (const key of Object.keys(node._zod.def.shape)) names.add(key);
    }
  }
  return [...names];
}

function resolve(schema: z.core.$ZodType, name: string): Field | undefined {
  if (name.length > BOUNDS.name || !isStorableText(name)) return undefined;
  const path = name.split('.');
  if (path.length > BOUNDS.depth) return undefined;
  let level = levelOf([schema]);
  // The documents of a list are not themselves elements of an array.
  if (level.arrays > 0) return undefined;
  let many = false;
  let jsonpath = '$';
  for (const key of path) {
    level = below(level, key);
    if (level.nodes.size === 0) return undefined;
    many ||= level.arrays > 0;
    jsonpath += `.${JSON.stringify(key)}${'[*]'.repeat(level.arrays)}`;
  }
  const type = typeOf(level.nodes);
  return type && { name, path, type, choices: choicesOf(level.nodes), many, jsonpath };
}

/** Returns the schemas allowed under `key`. */
function below({ nodes }: SchemaLevel, key: string): SchemaLevel {
  return levelOf([...nodes].flatMap((node) => schemaBelow(node, key) ?? []));
}

/** Returns the schema that one schema allows under `key`; undefined: none. */
function schemaBelow(node: Node, key: string): z.core.$ZodType | 'free' | undefined {
  const isSafe = key !== '' && !FORBIDDEN.has(key);
  if (node === 'free') return isSafe ? 'free' : undefined;
  const { def } = node._zod;
  if (def.type === 'record') return isSafe ? def.valueType : undefined;
  if (def.type !== 'object') return undefined;
  const declared = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
  if (declared) return declared;
  return isSafe && def.catchall && isTyped(def.catchall) ? def.catchall : undefined;
}

/** Returns whether a catchall declares fields: an open object tolerates `unknown` ones, a typed catchall declares them. */
function isTyped(catchall: z.core.$ZodType): boolean {
  return !['unknown', 'any', 'never'].includes(catchall._zod.def.type);
}

/** Unwraps schemas until only values, objects and records are left; each schema is visited once. */
function levelOf(schemas: readonly (z.core.$ZodType | 'free')[]): SchemaLevel {
  const level: SchemaLevel = { nodes: new Set(), arrays: 0 };
  const seen = new Set<z.core.$ZodType>();
  const open = schemas.map((schema) => ({ schema, arrays: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { schema, arrays } = next;
    level.arrays = Math.max(level.arrays, arrays);
    if (schema === 'free') {
      level.nodes.add('free');
      continue;
    }
    if (seen.has(schema) || arrays > BOUNDS.depth) continue;
    seen.add(schema);
    // $ZodTypes is Zod's union of all its schemas; $ZodType is their common base, and no others exist.
    const node = schema as z.core.$ZodTypes;
    const inner = unwrap(node);
    if (!inner) level.nodes.add(isFree(node) ? 'free' : node);
    for (const one of inner?.schemas ?? []) open.push({ schema: one, arrays: arrays + (inner?.array ?? 0) });
  }
  return level;
}

/** Returns the schemas inside a wrapper, and whether they are array elements; undefined for other schemas. */
function unwrap({
  _zod: { def },
}: z.core.$ZodTypes): { schemas: z.core.$ZodType[]; array: 0 | 1 } | undefined {
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return { schemas: [def.innerType], array: 0 };
    case 'lazy':
      return { schemas: [def.getter()], array: 0 };
    case 'pipe':
      // The output is what is stored, unless it comes from a function whose result type is unknown.
      return { schemas: [def.out._zod.def.type === 'transform' ? def.in : def.out], array: 0 };
    case 'union':
      return { schemas: [...def.options], array: 0 };
    case 'intersection':
      return { schemas: [def.left, def.right], array: 0 };
    case 'array':
      return { schemas: [def.element], array: 1 };
    case 'tuple':
      return { schemas: def.rest ? [...def.items, def.rest] : [...def.items], array: 1 };
    default:
      return undefined;
  }
}

/** Returns whether a schema allows any value, and any field below it. */
const isFree = ({ _zod: { def } }: z.core.$ZodTypes): boolean =>
  ['any', 'unknown', 'custom', 'transform'].includes(def.type);

/** Returns one type for all allowed values; values of several types are compared as text. */
function typeOf(nodes: ReadonlySet<Node>): FieldType | undefined {
  const types = new Set<FieldType>();
  for (const node of nodes) for (const type of typesOf(node)) types.add(type);
  const values = [...types].filter((type) => type !== 'object');
  if (values.length === 0) return types.has('object') ? 'object' : undefined;
  return values.length === 1 ? values[0] : 'text';
}

/** Returns the texts of enums, with foreign ones, and of literals; undefined where other values are allowed. */
function choicesOf(nodes: ReadonlySet<Node>): string[] | undefined {
  const choices = new Set<string>();
  for (const node of nodes) {
    const values = valuesOf(node);
    if (!values) return undefined;
    for (const value of values) {
      if (value === null || value === undefined) continue;
      if (typeof value !== 'string') return undefined;
      choices.add(value);
    }
  }
  return choices.size > 0 ? [...choices] : undefined;
}

/** Returns the only values that a schema allows; undefined where they are not listed. */
function valuesOf(node: Node): unknown[] | undefined {
  if (node === 'free') return undefined;
  const { def } = node._zod;
  if (def.type === 'null' || def.type === 'undefined') return [];
  if (def.type !== 'enum' && def.type !== 'literal') return undefined;
  const declared = def.type === 'enum' ? Object.values(def.entries) : def.values;
  return [...declared, ...(foreignValues.get(node)?.values ?? [])];
}

function typesOf(node: Node): FieldType[] {
  if (node === 'free') return ['text'];
  const { def } = node._zod;
  switch (def.type) {
    case 'string':
    case 'template_literal':
    case 'date':
      return ['text'];
    case 'number':
      return ['number'];
    case 'boolean':
      return ['boolean'];
    case 'enum':
      return Object.values(def.entries).flatMap(typesOfValue);
    case 'literal':
      return def.values.flatMap(typesOfValue);
    case 'object':
    case 'record':
      return ['object'];
    default:
      return [];
  }
}

function typesOfValue(value: unknown): FieldType[] {
  if (typeof value === 'string') return ['text'];
  if (typeof value === 'number') return ['number'];
  return typeof value === 'boolean' ? ['boolean'] : [];
}
