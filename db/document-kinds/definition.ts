import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import type { ComponentType } from '../schemas/assets/project.ts';

type Table = PgTable & { id: PgColumn; doc: PgColumn; name?: PgColumn };

/** The rule that decides which callers with the role may read a document. */
type Access =
  /** The document's own access list (`gbac`). */
  | { access: 'list'; table: Table & { readGroups: PgColumn; writeGroups?: PgColumn } }
  /** The members of the project, which is the document itself. */
  | { access: 'members'; table: Table & { readers: PgColumn } }
  /** The members of the project that owns the document; everyone may read a global one. */
  | { access: 'project'; table: Table & { projectId: PgColumn } }
  /** The access list of the automation that the document starts. */
  | { access: 'automation'; table: Table & { actionId: PgColumn } }
  /** No further rule (`role`), or a rule of the domain that owns the document. */
  | { access: 'role' | 'domain'; table: Table };

/** An endpoint that reads documents of the kind: callers who may use it may search them and receive their events. */
export type Endpoint = { permission: string; roles: readonly [string, ...string[]] };

/** @property path the path that reads one document, with `:id` or `:name`; otherwise the list that shows them */
export type Search = Endpoint & { path: string };

/** How the value of a field refers to another document. */
export type ReferenceRule = { kind: ComponentType; by: 'id' | 'name' | 'either' };

/** The fields that hold when and by whom a document was created and last changed. */
export type Stamps = { made: string; madeBy: string; changed: string; changedBy: string };

/** Properties of the kinds that a project can contain. */
export type ComponentFacts = {
  /** Schema of an imported document. */
  schema: z.ZodObject;
  unique: string;
  stamps: Stamps;
  /** Fields of the document that repeat the row's id. */
  idFields: readonly string[];
  /** The id is the name: renaming changes the id (contract/lifecycle#7). */
  namedById?: boolean;
  /** The service sets the stamps, in milliseconds, and ignores those of an import (contract/lifecycle#7). */
  stampedHere?: boolean;
  /** How documents identify their authors (contract/lifecycle#users). */
  authors: 'id' | 'username';
  /** Fields that project files omit. */
  notExported: readonly string[];
  /** Names of the kind in packages (prebuilts). */
  packaged: readonly string[];
};

export type KindDefinition = Access & {
  /** The word for a document of this kind in messages. */
  word: string;
  /** The word that precedes a document's name in messages, if it differs. */
  called?: string;
  /** Name of the unique index on names. */
  unique?: string;
  /**
   * For kinds of many documents: totals are counted as documents are written (`count_documents`), with `by` per value of
   * that column as well. Unless `onlyTotals` is set, recent edits are logged (`log_document_edits`) and substrings of names
   * are indexed, so that filters are fast as well; with `described`, substrings of descriptions too.
   */
  counted?: { by?: PgColumn; described?: true; onlyTotals?: true };
  search?: Search;
  /** The endpoint whose callers receive events about these documents. */
  events?: Endpoint;
  stamps?: Partial<Stamps> & { changed: string };
  /** Marks documents that refer to others: in these fields, and in any text that equals the name of a project's asset. */
  references?: Readonly<Record<string, ReferenceRule>>;
} & Partial<Omit<ComponentFacts, 'unique' | 'stamps'>>;
