import { z } from 'zod';
import { transformed } from './transformed.ts';

/*
 * Fields of open documents: optional, described, neither coerced nor defaulted, so that documents are returned as they
 * were sent.
 */

/**
 * Values of an enum that other platforms of this interface store and this one does not. Clients filter by them: such a
 * filter matches nothing, while one by an unknown value is rejected.
 */
export const foreignValues = z.registry<{ values: readonly string[] }>();

/** Returns description and examples as the OpenAPI document shows them. */
const about = (description: string, examples: readonly unknown[]) =>
  examples.length > 0 ? { description, examples: [...examples] } : { description };

/** A schema that may yield undefined: types that are inferred from an object with such a field need not have it. */
type MayBeAbsent = { _zod: { optout: 'optional' } };

/**
 * Makes a field of a request optional; null means the same as its absence (contract/lifecycle#null).
 *
 * @param examples  values that the OpenAPI document shows; for a schema with a transform, values of its input
 */
export const optional = <Schema extends z.ZodType>(schema: Schema, ...examples: z.input<Schema>[]) => {
  const sent = schema.nullish();
  const field = transformed(
    examples.length > 0 ? sent.meta({ examples }) : sent,
    (value) => value ?? undefined,
  );
  // Zod's type of a pipe does not say that a field without a value may be left out.
  return field as typeof field & MayBeAbsent;
};

/** An optional text. */
export const text = (description: string, ...examples: string[]) =>
  z.string().optional().meta(about(description, examples));

/** An optional text that may be null. */
export const textOrNull = (description: string, ...examples: string[]) =>
  z.string().nullable().optional().meta(about(description, examples));

/** An optional list of texts. */
export const texts = (description: string, ...examples: string[][]) =>
  z.array(z.string()).optional().meta(about(description, examples));

/** An optional finite number; the description names its unit. */
export const number = (description: string, ...examples: number[]) =>
  z.number().optional().meta(about(description, examples));

/** An optional finite number that may be null. */
export const numberOrNull = (description: string, ...examples: number[]) =>
  z.number().nullable().optional().meta(about(description, examples));

/** An optional value that is written as text or as a number. */
export const textOrNumber = (description: string, ...examples: (string | number)[]) =>
  z.union([z.string(), z.number()]).optional().meta(about(description, examples));

/** An optional true or false. */
export const flag = (description: string) => z.boolean().optional().describe(description);

/** An optional JSON object whose fields are chosen by its author. */
export const record = (description: string) =>
  z.record(z.string(), z.unknown()).optional().describe(description);

/** An optional JSON object, or null, whose fields are chosen by its author. */
export const recordOrNull = (description: string) =>
  z.record(z.string(), z.unknown()).nullable().optional().describe(description);

/** A number of things; the description continues `Number of`. */
export const count = (of: string) => z.int().min(0).describe(`Number of ${of}`);

/** Paging of a list by its entries. */
export const entryPaging = (absent: number) => ({
  start: z.int().min(0).max(1_000_000).optional().describe('Number of entries to skip; absent: 0'),
  limit: z.int().min(1).max(1000).optional().describe(`Maximum number of entries; absent: ${absent}`),
});

/** A page of a list, with the number of all its entries. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ total: count('entries in total'), list: z.array(item) });
