import { z } from 'zod';
import type { Endpoint, Search } from './definition.ts';

/* What the entries of several kinds of documents (kinds.ts) have in common. */

/** Roles that may read documents of a kind, by the area of the kind. */
export const READERS = ['admin', 'apiread'] as const;
export const DESIGNERS = ['admin', 'apiread', 'designer'] as const;
export const OPERATORS = ['admin', 'apiread', 'engineering', 'support'] as const;
export const EVERYBODY = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;

/** Names of the fields that say when, and by whom, a document was created and last changed. */
export const STAMPS = {
  made: 'created',
  madeBy: 'createdBy',
  changed: 'lastUpdated',
  changedBy: 'lastUpdatedBy',
};
/** The id, which is accepted in documents that carry it. */
export const ID = { _id: z.string().optional() };

/**
 * Returns an endpoint of a kind.
 *
 * @param permission `Area.method`
 * @param roles who may call it
 */
export const endpoint = (permission: string, roles: Endpoint['roles']): Endpoint => ({ permission, roles });

/**
 * Returns how a kind is found by the global search.
 *
 * @param permission `Area.method`
 * @param path where the console shows a hit
 */
export const search = (permission: string, roles: Endpoint['roles'], path: string): Search => ({
  permission,
  roles,
  path,
});

/** Returns the permission of a method of ConfigurationManager. */
export const manager = (method: string) => `ConfigurationManager.${method}`;

/** Properties that most kinds in projects share. */
export const COMPONENT = {
  access: 'project',
  stamps: STAMPS,
  authors: 'id',
  idFields: ['_id'],
  // Errors of a draft are found anew by every import.
  notExported: ['errors'],
  counted: {},
  references: {},
} as const;

/** Properties of command templates and analytic templates. */
export const MOP = {
  ...COMPONENT,
  authors: 'username',
  namedById: true,
  stampedHere: true,
  notExported: ['_id', 'errors'],
} as const;
