import type { Issue } from '#server/kernel/errors.ts';

type JsonObject = Record<string, unknown>;

/** Members that a client sends back as it read them: a PATCH leaves them alone and says so (contract/lifecycle#0.2.7). */
const READ_ONLY = /^(_id|created.*|lastUpdated.*|accessControl|iid|componentIidIndex)$/;

/** What a PATCH changes, what of it is left alone, and what is refused. */
export type Updates = { given: JsonObject; ignored: string[]; issues: Issue[] };

/**
 * Read the members of a PATCH against the document it changes: a whole document may be sent back as it was read.
 *
 * @param editable members that may be set; one that only this document has may be, too
 * @param kept members that the server keeps, beside those of every document
 * @param path where the members stand in the request
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
      const message = `unknown member ${JSON.stringify(name.slice(0, 100))}`;
      updates.issues.push({ path: [...path, name], message, code: 'unrecognized_keys' });
    }
  }
  return updates;
}
