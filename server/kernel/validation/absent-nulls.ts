import type { z } from 'zod';
import type { $ZodType } from 'zod/v4/core';
import { optionalFields, withoutNulls } from '#db/schemas/requests/null-fields.ts';
import { isObject } from '../json/objects.ts';

type Run = $ZodType['_zod']['run'];

/** Fields of a request that hold options, which are fields of the request as well (contract/decisions#get-options). */
const OPTIONS = ['options', 'queryOptions'];

/**
 * Makes the schema of a request read null in an optional field as absent (contract/lifecycle#null): in the fields of the request
 * itself and in its options, not in the documents that it carries, where a null is more likely a mistake. Fields that accept null keep it.
 *
 * Changes the schema in place.
 */
export function readNullsAsAbsent(schema: z.ZodObject): void {
  skipNulls(schema);
  for (const name of OPTIONS) {
    const options = objectIn(schema.shape[name]);
    if (options) skipNulls(options);
  }
}

const skipping = new WeakSet<$ZodType>();

function skipNulls(schema: z.ZodObject): void {
  if (skipping.has(schema)) return;
  skipping.add(schema);
  const spare = optionalFields(schema);
  if (spare.length === 0) return;
  const { _zod: inner } = schema;
  // Zod replaces `parse` of an object when it is first used, and never `run`.
  const { run } = inner;
  const skips: Run = (payload, context) => {
    if (isObject(payload.value)) payload.value = withoutNulls(payload.value, spare);
    return run(payload, context);
  };
  inner.run = skips;
}

/** Returns the object schema inside wrappers; undefined for any other schema. */
function objectIn(schema: $ZodType | undefined): z.ZodObject | undefined {
  const def = schema?._zod.def as { type: string; innerType?: $ZodType } | undefined;
  if (def?.innerType) return objectIn(def.innerType);
  return def?.type === 'object' ? (schema as z.ZodObject) : undefined;
}
