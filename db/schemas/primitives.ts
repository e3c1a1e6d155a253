import { z } from 'zod';
import { flag, optional, text, textOrNull } from './fields.ts';

/** Identifier of a document (contract/resources#2): 24 hexadecimal characters, either case, kept as sent. */
export const ObjectId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/, 'must be 24 hexadecimal characters')
  .meta({
    id: 'ObjectId',
    description:
      'Identifier of a document: 24 hexadecimal characters, in either case; it is returned as it was sent.',
    examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  });

/** Longest time, in characters: a fraction of a second of as many digits as one likes is valid in ISO 8601. */
const LONGEST_TIME = 40;

/** A time in UTC (contract/resources#2): ISO 8601 with a `Z`; other offsets are rejected, never converted. */
export const Timestamp = z.iso
  .datetime({ error: 'must be an ISO 8601 time in UTC, ending in Z' })
  .max(LONGEST_TIME, `must have at most ${LONGEST_TIME} characters`)
  .meta({
    id: 'Timestamp',
    description: 'A time in UTC, ISO 8601 with a trailing Z. The service itself writes milliseconds.',
    examples: ['2026-02-03T04:05:06.789Z'],
  });

/**
 * A name that a caller gives to an object: 1 to 255 characters, no control characters, no white space at either end. For
 * requests only; names inside imported documents may be any string.
 */
export const Name = z
  .string()
  // Both abort: an empty name is one issue, not two, and expressions overflow on texts of millions of characters (0160).
  .min(1, { abort: true })
  .max(255, { abort: true })
  .regex(
    // No look-arounds and Unicode classes, so that users of the OpenAPI document in other languages can use it.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that a name must not have
    /^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$/,
    'must not contain control characters, and must not begin or end with white space',
  )
  .refine((name) => name.isWellFormed(), 'must be well-formed Unicode')
  .meta({
    id: 'Name',
    description:
      'A name: 1 to 255 characters, without control characters, neither beginning nor ending with white space.',
    examples: ['Edge routers'],
  });
export type Name = z.infer<typeof Name>;

const GBAC_READ = 'Ids of the groups that may see the document. Empty or absent: everyone with the role.';
const GBAC_WRITE = 'Ids of the groups that may change the document. Empty or absent: everyone with the role.';

/** Access list of a document, by group (contract/resources#2.7, contract/lifecycle#gbac). */
export const Gbac = z
  .looseObject({
    read: z.array(z.string()).optional().describe(GBAC_READ),
    write: z.array(z.string()).optional().describe(GBAC_WRITE),
  })
  .meta({
    id: 'Gbac',
    description:
      'Group-based access list of one document. Empty lists admit everyone with a role of the endpoint; the role admin is always admitted.',
  });
export type Gbac = z.infer<typeof Gbac>;

/** Access list in a request: like `Gbac`, but other fields are rejected (contract/resources#2.7). */
export const GbacUpdate = z
  .strictObject({
    read: optional(z.array(z.string())).describe(GBAC_READ),
    write: optional(z.array(z.string())).describe(GBAC_WRITE),
  })
  .meta({
    id: 'GbacUpdate',
    description: 'New group-based access list of a document; it replaces the previous one.',
    examples: [{ read: [], write: [] }],
  });
export type GbacUpdate = z.infer<typeof GbacUpdate>;

/** The author of an action, expanded (contract/resources#2.9 createdBy, contract/lifecycle#users). */
export const Actor = z
  .looseObject({
    _id: text('Id of the account', '65f0c1d2e3a4b5c6d7e8f901'),
    username: textOrNull('Sign-in name of the account; null when the account is unknown here', 'ops@local'),
    provenance: text('Directory of the account; local for accounts of this platform', 'local'),
    missing: flag('True when the account no longer exists, or never existed on this system'),
  })
  .meta({ id: 'Actor', description: 'An account, as shown beside the documents it wrote.' });
export type Actor = z.infer<typeof Actor>;

/** The author of a document: an account id or username as stored, or the account itself where it is expanded. */
export const Author = z.union([z.string(), Actor]).nullable().meta({
  id: 'Author',
  description:
    'The author of the document: the id or username of an account, or the account itself in documents that are expanded for reading and export; null when unknown.',
});
export type Author = z.infer<typeof Author>;

/** The response of a write that returns no data (contract/endpoints#4.9, #4.15). */
export const Done = z
  .looseObject({
    status: z
      .literal('success')
      .describe('Always success; a failure has an error status and a different body'),
    message: z.string().describe('What was done, in words'),
  })
  .meta({ id: 'Done', description: 'The write was carried out.' });
export type Done = z.infer<typeof Done>;

/** The severity of a violated rule (compliance lines, command template rules). */
export const Severity = z.enum(['error', 'warning', 'info']).meta({
  id: 'Severity',
  description: 'Severity of a violation: error, warning or info.',
});
export type Severity = z.infer<typeof Severity>;

/** A label on a document: its name or id, or the tag itself in exports. */
export const TagReference = z
  .union([
    z.string(),
    z.looseObject({
      _id: text('Id of the tag'),
      name: text('Text of the label'),
      description: text('Purpose of the label'),
    }),
  ])
  .meta({ id: 'TagReference', description: 'A tag on the document: its name or id, or the tag in full.' });

/** Owner of a project-scoped asset (contract/lifecycle#name-collision: such assets are named `@<projectId>: Name`). */
export const Namespace = z
  .looseObject({
    type: text('Kind of the owner', 'project'),
    _id: text('Id of the owning project'),
    name: text('Name of the owning project'),
  })
  .nullable()
  .meta({ id: 'Namespace', description: 'Project that owns the asset; null or absent for a global one.' });
export type Namespace = z.infer<typeof Namespace>;
