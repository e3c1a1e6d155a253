import { z } from 'zod';
import { optional } from '../fields.ts';
import { Order } from '../query-options.ts';

/** Maps fields to 1 (ascending) or -1 (descending); the first field takes precedence. */
export const Sort = z
  .record(z.string(), z.union([z.literal(1), z.literal(-1)]))
  .meta({ description: 'Fields to order by: 1 ascending, -1 descending', examples: [{ name: 1 }] });

/** Paging and order of a search, in either form (contract/lifecycle#0.3, docs/lists.md). */
export const paging = {
  start: optional(z.int().min(0)).describe('Number of documents to skip; absent: 0'),
  skip: optional(z.int().min(0)).describe('The same as start'),
  limit: optional(z.int().min(1).max(1000), 25).describe(
    'Maximum number of documents to return, 1 to 1000; absent: 25',
  ),
  sort: optional(z.union([z.string(), Sort]), 'name').describe(
    'Order of the list: a field, or several with 1 or -1',
  ),
  order: optional(Order).describe('Direction of `sort`: 1 or ascending, -1 or descending'),
};

/** Paging and order of a search by names, which may be expressions. */
export const page = {
  ...paging,
  regex: optional(z.boolean()).describe('True: the name is a regular expression (RE2 syntax)'),
};
