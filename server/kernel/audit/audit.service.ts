import { type Database, runInsertion } from '#db/client.ts';
import { type Change, insertion } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { type AuditCredential, AuditEntry } from '#db/schemas/operations/audit.ts';
import { audit } from '#db/tables/operations/platform.ts';
import { core } from '../documents/list-envelope.ts';

/** One write, or one attempt at it (contract/lifecycle#12a; contract/decisions#audit). */
export type AuditRecord = {
  /** The name of the account, and its id; null when the credential belonged to none. */
  account: string | null;
  accountId: string | null;
  /** By which means the account acted; null where no credential was presented. */
  credential: AuditCredential | null;
  /** Null where denied requests from many addresses are counted together. */
  address: string | null;
  operation: string;
  requestId: string;
  outcome: AuditEntry['outcome'];
  /** The HTTP status of the response. */
  status: number;
  changes: readonly Change[];
  /** How many similar denied requests the row counts; absent: one. */
  count?: number;
};

/** Records who did what. In a transaction, the row is committed or rolled back with the change that it describes. */
export async function writeAuditRecord(db: Database, record: AuditRecord, now: Date): Promise<void> {
  const { changes, ...fields } = record;
  const [first] = changes;
  const id = newId(now.getTime());
  const doc = {
    _id: id,
    time: now.toISOString(),
    ...fields,
    document: first ? { kind: first.kind, id: first.id, name: first.name } : null,
    ...(changes.length > 1 && { documents: changes.map(({ kind, id, name }) => ({ kind, id, name })) }),
  };
  await runInsertion(db, insertion(audit, { id, doc, credentialId: record.credential?.id ?? null }));
}

const entryList = defineResource({
  name: 'audit entries',
  schema: AuditEntry,
  source: audit,
  columns: {
    time: audit.time,
    account: audit.account,
    operation: audit.operation,
    'credential.id': audit.credentialId,
  },
  defaultSort: [{ field: 'time', order: -1 }],
  also: {
    'document.kind': { field: 'documents.kind' },
    'document.id': { field: 'documents.id', indexed: true },
    'document.name': { field: 'documents.name', indexed: true },
  },
});

/** Returns a page of the audit trail, newest first unless the query has another order (contract/lifecycle#12a). */
export async function listEntries(
  { db, platform }: { db: Database; platform: { audit: { flush: () => Promise<void> } } },
  query: object,
) {
  await platform.audit.flush();
  const page = await list(db, entryList, readList(entryList, query));
  return core<AuditEntry>(page);
}
