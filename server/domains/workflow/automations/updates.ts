import type { Issue } from '#server/kernel/errors.ts';

type JsonObject = Record<string, unknown>;

/** Read-only fields that a client may send back: a PATCH ignores and reports them (contract/lifecycle#0.2.7). */
const READ_ONLY = /^(_id|created.*|lastUpdated.*|accessControl|iid|componentIidIndex)$/;

/** The changes of a PATCH, the ignored fields, and the issues. */
export type Updates = { given: JsonObject; ignored: string[]; issues: Issue[] };

/**
 * Reads the fields of a PATCH against the document that it changes: a whole document may be sent back as it was read.
 *
 * @param editable fields that may be set; fields that only this document has may be set, too
 * @param kept fields that the server keeps, in addition to those of every document
 * @param path path of the fields in the request
 */
export function readUpdates(
  sent: JsonObject,
  stored: JsonObject,
  { editable, kept = [] }: { editable: readonly string[]; kept?: readonly string[] },
  path: (string | number)[],
): Updates {
  const updates: Updates = { given: {}, ignored: [], issues: [] };
  for (const [name, value] of Object.entries(sent)) {
    if (value === undefined) continue;
    if (READ_ONLY.test(name) || kept.includes(name)) updates.ignored.push(name);
    else if (editable.includes(name) || Object.hasOwn(stored, name)) updates.given[name] = value;
    else {
      const message = `unknown field ${JSON.stringify(name.slice(0, 100))}`;
      updates.issues.push({ path: [...path, name], message, code: 'unrecognized_keys' });
    }
  }
  return updates;
}
