import type { z } from 'zod';
import { booleanIn } from '#db/schemas/requests/boolean-words.ts';
import { fromJsonText } from '#db/schemas/requests/json-text.ts';

/** Converts the strings of a path or query to the types of a schema; a string that cannot be converted stays a string. */
type Decoder = (value: unknown) => unknown;

type ZodDefinition = {
  type: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
  shape?: Record<string, z.core.$ZodType>;
  values?: readonly unknown[];
  getter?: () => z.core.$ZodType;
};

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const known = new WeakMap<object, Decoder>();

/**
 * Compiles the decoder of a schema, once. The decoder rejects nothing: a string that is no number stays a string, and
 * the schema then rejects it and names the field (contract/decisions#decoding). The schema is never changed.
 */
export function decoderOf(schema: z.core.$ZodType): Decoder {
  const made = known.get(schema);
  if (made) return made;
  // A schema may contain itself: the entry exists before its parts are compiled.
  let compiled: Decoder | undefined;
  const decoder: Decoder = (value) => {
    compiled ??= compile(schema);
    return compiled(value);
  };
  known.set(schema, decoder);
  return decoder;
}

function compile(schema: z.core.$ZodType): Decoder {
  const definition = schema._zod.def as unknown as ZodDefinition;
  const inner = definition.innerType ?? definition.in ?? definition.getter?.();
  if (inner) return decoderOf(inner);
  switch (definition.type) {
    case 'number':
    case 'int':
      return (value) => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value);
    case 'boolean':
      return (value) => (typeof value === 'string' ? (booleanIn(value) ?? value) : value);
    case 'literal':
      return (value) => definition.values?.find((literal) => String(literal) === value) ?? value;
    case 'array':
      return arrayDecoder(definition.element);
    case 'object':
      return objectDecoder(definition.shape ?? {});
    case 'record':
      return recordDecoder(definition.valueType);
    case 'union':
      return unionDecoder(definition.options ?? []);
    default:
      return (value) => value;
  }
}

/** Decodes repeated keys as an array; a single key becomes an array of one. */
function arrayDecoder(element: z.core.$ZodType | undefined): Decoder {
  const each = element ? decoderOf(element) : (value: unknown) => value;
  return (value) => {
    if (value === undefined) return value;
    return Array.isArray(value) ? value.map(each) : [each(value)];
  };
}

function objectDecoder(shape: Record<string, z.core.$ZodType>): Decoder {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, decoderOf(schema)]));
  return (value) => mapObject(fromJsonText(value), (field, name) => fields.get(name)?.(field) ?? field);
}

function recordDecoder(valueType: z.core.$ZodType | undefined): Decoder {
  const each = valueType ? decoderOf(valueType) : (value: unknown) => value;
  return (value) => mapObject(fromJsonText(value), each);
}

/**
 * Decodes by the first option that accepts the result; when none does, the value is unchanged and the schema rejects it.
 */
function unionDecoder(options: readonly z.core.$ZodType[]): Decoder {
  const candidates = options.map((option) => ({ option: option as z.ZodType, decode: decoderOf(option) }));
  return (value) => {
    for (const { option, decode } of candidates) {
      const decoded = decode(value);
      if (option.safeParse(decoded).success) return decoded;
    }
    return value;
  };
}

function mapObject(value: unknown, each: (field: unknown, name: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, each(field, name)]));
}
