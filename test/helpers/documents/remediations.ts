import type { Database } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';

/** Stores an open proposal without changes for a report, and returns its id. */
export async function storeProposal(
  db: Database,
  given: Pick<Remediation, 'reportId' | 'deviceName' | 'treeId'> & Partial<Remediation>,
): Promise<string> {
  const id = newId();
  const now = new Date();
  await insert(db, remediations, id, {
    id,
    _id: id,
    version: 'initial',
    nodePath: 'base',
    status: 'proposed',
    changes: [],
    manual: [],
    config: '',
    configSha256: '',
    rollback: '',
    predicted: { totals: { errors: 0, warnings: 0, infos: 0, passes: 1 }, score: 100, grade: 'pass' },
    risk: '',
    basis: 'backup',
    backupId: null,
    baseSha256: '',
    variables: [],
    approvals: [],
    authors: [],
    createdBy: '',
    created: now.toISOString(),
    lastUpdated: now.toISOString(),
    expires: new Date(now.getTime() + 3_600_000).toISOString(),
    result: null,
    ...given,
  });
  return id;
}
