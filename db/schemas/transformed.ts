import { z } from 'zod';

/**
 * Returns a schema that changes what another one accepts, as `transform` does. The functions that Zod's own makes for each value keep
 * the value alive until the next collection of all memory (decision 0178).
 *
 * @param change must not wait
 */
export function transformed<Schema extends z.ZodType, Changed>(
  schema: Schema,
  change: (value: z.output<Schema>) => Changed,
): z.ZodPipe<Schema, z.ZodTransform<Changed, z.output<Schema>>> {
  const pipe = schema.transform(change) as z.ZodPipe<Schema, z.ZodTransform<Changed, z.output<Schema>>>;
  simplify(pipe.out, change as (value: unknown) => unknown);
  return pipe;
}

/** As `transformed`, for a change before the schema reads the value. */
export function preprocessed<Schema extends z.ZodType>(change: (value: unknown) => unknown, schema: Schema) {
  const pipe = z.preprocess(change, schema);
  simplify(pipe.in, change);
  return pipe;
}

function simplify({ _zod: inner }: z.core.$ZodType, change: (value: unknown) => unknown): void {
  const parse: typeof inner.parse = (payload) => {
    payload.value = change(payload.value);
    return payload;
  };
  inner.parse = parse;
  inner.run = parse as typeof inner.run;
}
