import { readdirSync } from 'node:fs';
import { z } from 'zod';

const folder = new URL('../../db/schemas/', import.meta.url);

/** A schema as its file exports it. */
export type NamedSchema = { file: string; name: string; schema: z.ZodType };

/** Every schema that a file of db/schemas exports; factories and plain shapes are left out. */
export async function everySchema(): Promise<NamedSchema[]> {
  const found: NamedSchema[] = [];
  // Requests are closed and may be rewritten on their way in; documents must not (requests/ is not looked into).
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
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
