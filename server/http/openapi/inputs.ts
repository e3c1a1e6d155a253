import { z } from 'zod';
import type { Operation } from '#server/http/operations.ts';

/** The fields of an operation's input, grouped by their position in a request. */
export type OperationInputs = {
  path: Record<string, z.ZodType>;
  /**
   * Query fields of GET and DELETE: those of the option object, which are at the top of the query
   * (contract/decisions#get-options), and others.
   */
  options: Record<string, z.ZodType>;
  others: Record<string, z.ZodType>;
  /** Schema of the values of further parameters that a query may have. */
  free: z.core.$ZodType | undefined;
};

/** Groups the fields of the input by their position in a request. */
export function inputsOf({ input, parameters, container }: Operation): OperationInputs {
  const fields: OperationInputs = { path: {}, options: {}, others: {}, free: openTo(input) };
  const { shape } = input as z.ZodObject<Record<string, z.ZodType>>;
  for (const [name, schema] of Object.entries(shape)) {
    const inside = name === container ? objectIn(schema) : null;
    if (parameters.includes(name)) fields.path[name] = schema;
    else if (!inside) fields.others[name] = schema;
    else {
      fields.free ??= openTo(inside);
      for (const [option, one] of Object.entries(inside.shape)) {
        // A name that both have means the outer field, as in the REST face.
        if (!(option in shape)) fields.options[option] = one as z.ZodType;
      }
    }
  }
  return fields;
}

/**
 * Returns an operation's input in a form that the generator can read. The generator rejects parameters other than text
 * and numbers but accepts preprocessed ones; and it drops whether an object with refinements is closed, so this object
 * has no refinements.
 */
export function shownInput(operation: Operation): z.ZodObject {
  const { input, queried } = operation;
  const { path, options, others, free } = inputsOf(operation);
  const query = { ...options, ...others };
  const shape = { ...mapped(path, anyText), ...(queried ? mapped(query, anyText) : others) };
  const shown = z.object(shape).catchall(free ?? z.never());
  const { id: _, ...meta } = input.meta() ?? {};
  return shown.meta(meta);
}

/** Wraps a schema so that the generator treats it as text; it accepts the same values. */
const anyText = (schema: z.ZodType) => z.preprocess((value) => value, schema);

const mapped = (shape: Record<string, z.ZodType>, change: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, change(schema)]));

/** Returns the object schema inside optional, nullable, default, lazy and preprocessing; null when there is none. */
function objectIn(schema: z.core.$ZodType): z.ZodObject | null {
  // Zod's own union of all its schemas: $ZodType is their common base, and there are no others.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return schema as z.ZodObject;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return objectIn(def.innerType);
    case 'lazy':
      return objectIn(def.getter());
    case 'pipe':
      return objectIn(def.in._zod.def.type === 'transform' ? def.out : def.in);
    default:
      return null;
  }
}

/** Returns the schema of an object's unknown fields; undefined when it rejects or drops them. */
function openTo({ def: { catchall } }: z.ZodObject): z.core.$ZodType | undefined {
  return catchall?._zod.def.type === 'never' ? undefined : catchall;
}

/** Returns whether a field may be omitted. */
export const mayBeAbsent = (schema: z.ZodType) => schema.safeParse(undefined).success;
