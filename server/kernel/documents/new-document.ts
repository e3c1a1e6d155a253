import type { Gbac, GbacUpdate } from '#db/schemas/primitives.ts';

/** The author and time of a new document, and the generator of its ids. */
export type NewDocumentOptions = { account: string; now: Date; newId: () => string };

/** Returns an access list with both of its lists present. */
export const wholeGbac = (gbac: Gbac | GbacUpdate | undefined): Gbac => ({
  ...gbac,
  read: gbac?.read ?? [],
  write: gbac?.write ?? [],
});

/** Returns whether an access list restricts access. */
export const isStated = (gbac: Gbac | undefined): boolean =>
  (gbac?.read?.length ?? 0) > 0 || (gbac?.write?.length ?? 0) > 0;

/** Returns the stamps of a document created now. */
export const madeBy = ({ account, now }: NewDocumentOptions) => ({
  created: now.toISOString(),
  createdBy: account,
  lastUpdated: now.toISOString(),
  lastUpdatedBy: account,
});
