import type { GitKind } from '#db/schemas/git/remote.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';

/** A document here. */
export type LocalDocument = {
  /** Its main file, below the folder of the remote. */
  path: string;
  name: string;
  /** Id of the account that last changed it; null: unknown. */
  author: string | null;
  /** Returns its files by their paths. */
  read: () => Promise<ReadonlyMap<string, string>>;
};

/** How documents of one kind are read and stored. */
export type GitKindRules = {
  kind: GitKind;
  folder: string;
  /** The endpoints whose rights the account of a remote needs, by the names of permissions. */
  reads: { permission: string; roles: readonly string[] };
  writes: { permission: string; roles: readonly string[] };
  /** Returns the main file of the document that a file belongs to; null for a file that belongs to none. */
  mainFile: (path: string) => string | null;
  /**
   * Returns the documents that the account may read.
   *
   * @param name only those of this name; absent: all
   */
  list: (ctx: WriteContext, name?: string) => Promise<LocalDocument[]>;
  /**
   * Stores a document, over the one that has its place.
   *
   * @param files its files by their paths
   * @returns its name
   * @throws ServiceError as the endpoint that imports such documents
   */
  store: (ctx: WriteContext, path: string, files: ReadonlyMap<string, string>) => Promise<string>;
};
