import { readdirSync } from 'node:fs';
import { z } from 'zod';

const folder = new URL('../../db/schemas/', import.meta.url);

/** A schema as its file exports it. */
export type NamedSchema = { file: string; name: string; schema: z.ZodType };

/** Every schema that a file of db/schemas exports; factories and plain shapes are left out. */
export async function everySchema(): Promise<NamedSchema[]> {
  const found: NamedSchema[] = [];
  // Requests are closed and may be rewritten when they are read; documents must not (requests/ is not searched).
  for (const file of readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts') && !name.startsWith('requests/'))
    .sort()) {
    const exported: Record<string, unknown> = await import(new URL(file, folder).href);
    for (const [name, schema] of Object.entries(exported)) {
      if (schema instanceof z.ZodType) found.push({ file, name, schema });
    }
  }
  return found;
}

/** The schemas directly inside one: members of an object, options of a union, items of a list. */
export function inner(schema: z.core.$ZodType): [string, z.core.$ZodType][] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape);
    case 'array':
      return [['[]', def.element]];
    case 'record':
      return [['{}', def.valueType]];
    case 'tuple':
      return def.items.map((item, at) => [String(at), item]);
    case 'union':
      return def.options.map((option, at) => [`|${at}`, option]);
    case 'optional':
    case 'nullable':
    case 'nonoptional':
      return [['', def.innerType]];
    default:
      return [];
  }
}

/**
 * The schema of the values that a member of a request takes beside null, where null says the same as absence (`optional`
 * in db/schemas/fields.ts); undefined for every other schema.
 */
export function nullAsAbsent(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type !== 'pipe' || def.out._zod.def.type !== 'transform') return undefined;
  const nullish = (def.in as z.core.$ZodTypes)._zod.def;
  if (nullish.type !== 'optional') return undefined;
  const nullable = (nullish.innerType as z.core.$ZodTypes)._zod.def;
  return nullable.type === 'nullable' ? nullable.innerType : undefined;
}

/** Whether a schema has such a member, at any depth: what is taken is then not what is answered. */
export function hasNullAsAbsent(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return nullAsAbsent(schema) !== undefined || inner(schema).some(([, part]) => hasNullAsAbsent(part, seen));
}
