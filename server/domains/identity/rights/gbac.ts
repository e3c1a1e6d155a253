import { forbidden, invalid } from '#server/kernel/errors.ts';
import { callersIn } from '#server/kernel/principal.ts';

/** An access list as documents and requests have it. */
export type AccessList = { read?: readonly string[] | undefined; write?: readonly string[] | undefined };
type AccessWriter = {
  roles: readonly string[];
  groups: readonly string[];
  sharedBy?: readonly AccessWriter[];
};

/** Returns whether the document's own access list allows the caller to write it. */
export function mayWrite(gbac: AccessList | undefined, writer: AccessWriter): boolean {
  const groups = gbac?.write ?? [];
  const isAllowed = (one: AccessWriter) =>
    one.roles.includes('admin') || groups.some((group) => one.groups.includes(group));
  return groups.length === 0 || callersIn(writer).every(isAllowed);
}

/**
 * Denies a write that the document's own access list does not allow. Read access is decided in SQL (db/access.ts).
 *
 * @param what name of the document in the message
 * @throws ServiceError FORBIDDEN
 * @see contract/decisions#3, contract/lifecycle#0.7
 */
export function assertMayWrite(gbac: AccessList | undefined, writer: AccessWriter, what: string): void {
  if (mayWrite(gbac, writer)) return;
  throw forbidden(`${what} may be changed only by the groups on its access list`);
}

/**
 * Rejects an access list with readers but no writers: everyone could then change what only a few may see.
 *
 * @param gbac access list: ids of the groups that may read and write; undefined: none is sent
 * @param path path of the list in the request
 * @throws ServiceError BAD_REQUEST (contract/lifecycle#gbac)
 */
export function assertConsistent(
  gbac: { read?: readonly unknown[] | undefined; write?: readonly unknown[] | undefined } | undefined,
  path: (string | number)[],
): void {
  if ((gbac?.read?.length ?? 0) > 0 && (gbac?.write?.length ?? 0) === 0) {
    throw invalid([...path, 'write'], 'must name at least one group because read does');
  }
}
