import type { Gbac, GbacUpdate } from '#db/schemas/primitives.ts';

/** Who makes a document, when, and where new ids come from. */
export type NewDocumentOptions = { account: string; now: Date; newId: () => string };

/** An access list with both of its lists there. */
export const wholeGbac = (gbac: Gbac | GbacUpdate | undefined): Gbac => ({
  ...gbac,
  read: gbac?.read ?? [],
  write: gbac?.write ?? [],
});

/** Whether an access list keeps anyone out. */
export const isStated = (gbac: Gbac | undefined): boolean =>
  (gbac?.read?.length ?? 0) > 0 || (gbac?.write?.length ?? 0) > 0;

/** Stamps of a document that is made now. */
export const madeBy = ({ account, now }: NewDocumentOptions) => ({
  created: now.toISOString(),
  createdBy: account,
  lastUpdated: now.toISOString(),
  lastUpdatedBy: account,
});
