import { z } from 'zod';
import type { Operation } from '#server/http/operations.ts';

/** The members of an operation's input by where a request has them. */
export type OperationInputs = {
  path: Record<string, z.ZodType>;
  /**
   * Of GET and DELETE: those of the option object, which stand at the top of the query (contract/decisions#get-options),
   * and others.
   */
  options: Record<string, z.ZodType>;
  others: Record<string, z.ZodType>;
  /** Further parameters that a query may have besides: the schema of their values. */
  free: z.core.$ZodType | undefined;
};

/** Where each member of the input stands. */
export function membersOf({ input, parameters, container }: Operation): OperationInputs {
  const members: OperationInputs = { path: {}, options: {}, others: {}, free: openTo(input) };
  const { shape } = input as z.ZodObject<Record<string, z.ZodType>>;
  for (const [name, schema] of Object.entries(shape)) {
    const inside = name === container ? objectIn(schema) : null;
    if (parameters.includes(name)) members.path[name] = schema;
    else if (!inside) members.others[name] = schema;
    else {
      members.free ??= openTo(inside);
      for (const [option, one] of Object.entries(inside.shape)) {
        // A name that both have means the outer one, as the REST face reads it.
        if (!(option in shape)) members.options[option] = one as z.ZodType;
      }
    }
  }
  return members;
}

/**
 * An operation's input as the generator can read it. It refuses parameters that are neither text nor number, but lets
 * pass what a preprocessing step makes; and it loses the end of an object that has refinements, so the object that it
 * is shown has none.
 */
export function shownInput(operation: Operation): z.ZodObject {
  const { input, queried } = operation;
  const { path, options, others, free } = membersOf(operation);
  const query = { ...options, ...others };
  const shape = { ...mapped(path, anyText), ...(queried ? mapped(query, anyText) : others) };
  const shown = z.object(shape).catchall(free ?? z.never());
  const { id: _, ...meta } = input.meta() ?? {};
  return shown.meta(meta);
}

/** Takes what the schema takes, without looking like more than text. */
const anyText = (schema: z.ZodType) => z.preprocess((value) => value, schema);

const mapped = (shape: Record<string, z.ZodType>, change: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, change(schema)]));

/** The object that a schema asks for, through optional, nullable, default, lazy and preprocessing; else null. */
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

/** What unknown members of an object may be; undefined for one that refuses them, or drops them. */
function openTo({ def: { catchall } }: z.ZodObject): z.core.$ZodType | undefined {
  return catchall?._zod.def.type === 'never' ? undefined : catchall;
}

/** Whether a member may be left out. */
export const mayBeAbsent = (schema: z.ZodType) => schema.safeParse(undefined).success;
