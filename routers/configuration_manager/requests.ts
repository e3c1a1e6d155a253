import { z } from 'zod';
import { optional } from '#db/schemas/fields.ts';
import { Done, ObjectId } from '#db/schemas/primitives.ts';
import { Order } from '#db/schemas/query-options.ts';

export { optional };

/** Returns the response of a write that returns no document. @param message what was done */
export const done = (message: string): Done => ({ status: 'success', message });

/** Maps fields to 1 (ascending) or -1 (descending); the first field takes precedence. */
export const Sort = z
  .record(z.string(), z.union([z.literal(1), z.literal(-1)]))
  .meta({ description: 'Fields to order by: 1 ascending, -1 descending', examples: [{ name: 1 }] });

/** Options for the keys of a JSON template, evaluated where its rules are derived. */
export const RuleSet = optional(z.record(z.string(), z.unknown()))
  .describe(
    'JSON only: severities and modes by path, keys that must exist, and the identifying fields of array items',
  )
  .meta({ examples: [{ evalMode: { disallowed: ['$.debug'] }, arrayIdentity: { '$.groups': 'id' } }] });

/** Rules of a node for further platforms (contract/additions#golden-sections). */
export const Sections = optional(
  z.record(
    z.string().min(1).max(255),
    z.strictObject({
      template: z.string().meta({ description: 'Source of the rules', examples: ['system {\n'] }),
      ruleSet: RuleSet,
    }),
  ),
)
  .describe(
    'Rules for devices of other platforms than that of the tree, by the name of their config parser; they replace all such rules of the node',
  )
  .meta({ examples: [{ 'arista-eos': { template: 'ntp server 192.0.2.9\n' } }] });

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

/** The response of a bulk delete. */
export const Deleted = z.object({
  status: z.enum(['success', 'conflict']).describe('conflict: some are still used and were kept'),
  deleted: z.int().min(0).describe('Number of deleted documents'),
  conflicts: z
    .array(
      z.object({ id: z.string(), usedBy: z.array(z.string()).describe('Documents that use the document') }),
    )
    .optional()
    .describe('Documents that were kept'),
});

/** Returns the response of a bulk delete from its outcome. */
export const removed = ({
  deleted,
  conflicts,
}: {
  deleted: number;
  conflicts: { id: string; usedBy: string[] }[];
}) =>
  conflicts.length === 0
    ? { status: 'success' as const, deleted }
    : { status: 'conflict' as const, deleted, conflicts };

/** The response of an import that may change the ids and names of documents. */
export const ImportedNames = Done.extend({
  data: z
    .array(z.object({ id: ObjectId, name: z.string() }))
    .describe('Id and name of each stored document, in order'),
});
