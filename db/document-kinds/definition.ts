import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import type { ComponentType } from '../schemas/assets/project.ts';

type Table = PgTable & { id: PgColumn; doc: PgColumn; name?: PgColumn };

/** Decides who of those who hold the role may read a document. */
type Access =
  /** Its own access list (`gbac`). */
  | { access: 'list'; table: Table & { readGroups: PgColumn; writeGroups?: PgColumn } }
  /** Its members: it is a project. */
  | { access: 'members'; table: Table & { readers: PgColumn } }
  /** The members of the project that owns it; all may read a global one. */
  | { access: 'project'; table: Table & { projectId: PgColumn } }
  /** The access list of the automation that it starts. */
  | { access: 'automation'; table: Table & { actionId: PgColumn } }
  /** Nothing more (`role`), or a rule of the domain that owns it. */
  | { access: 'role' | 'domain'; table: Table };

/** An endpoint that reads documents of the kind: whoever may call it may find them, and hears of them. */
export type Endpoint = { permission: string; roles: readonly [string, ...string[]] };

/** @property path where one of them is read, `:id` or `:name` in it; without, the list that shows them */
export type Search = Endpoint & { path: string };

/** How the value of a field names another document. */
export type ReferenceRule = { kind: ComponentType; by: 'id' | 'name' | 'either' };

/** Fields that say when and by whom a document was made and changed last. */
export type Stamps = { made: string; madeBy: string; changed: string; changedBy: string };

/** What only kinds have that a project can hold. */
export type ComponentFacts = {
  /** What a document must hold when it comes in. */
  schema: z.ZodObject;
  unique: string;
  stamps: Stamps;
  /** Where the id stands in the document, beside the row's. */
  idMembers: readonly string[];
  /** The id is the name: a new name is a new id (contract/lifecycle#7). */
  namedById?: boolean;
  /** Stamps come from the service, as milliseconds, whatever an import says (contract/lifecycle#7). */
  stampedHere?: boolean;
  /** How documents call their authors (contract/lifecycle#users). */
  authors: 'id' | 'username';
  /** Fields that files of projects leave out. */
  notExported: readonly string[];
  /** Names of the kind in packages (prebuilts). */
  packaged: readonly string[];
};

export type KindDefinition = Access & {
  /** What messages call one of them. */
  word: string;
  /** What they call it in front of its name, where that is another word. */
  called?: string;
  /** Unique index of the names. */
  unique?: string;
  /**
   * Kinds of many documents: totals are counted as documents are written (`count_documents`), `by` the values of a
   * column too; what was written lately is logged (`log_document_edits`) and parts of names are indexed, unless rows are
   * only added; `described`: parts of descriptions are indexed as well.
   */
  counted?: { by?: PgColumn; described?: true; onlyAdded?: true };
  search?: Search;
  /** Who hears of events about them. */
  events?: Endpoint;
  stamps?: Partial<Stamps> & { changed: string };
  /** Its documents name others: in these fields, and wherever a text is the name of a project's asset. */
  references?: Readonly<Record<string, ReferenceRule>>;
} & Partial<Omit<ComponentFacts, 'unique' | 'stamps'>>;
