import { index, pgTable } from 'drizzle-orm/pg-core';
import { document, textOf } from '../columns.ts';
import type { Remediation } from '../schemas/golden-config/remediation.ts';

/** Proposals of commands that would mend devices (contract/lifecycle#4.10); who may see them follows from the tree. */
export const remediations = pgTable(
  'remediations',
  {
    ...document<Remediation>(),
    deviceName: textOf('deviceName', 'device_name'),
    treeId: textOf('treeId', 'tree_id'),
    reportId: textOf('reportId', 'report_id'),
    /** As it was written: whether it expired or is stale meanwhile is found out in each query. */
    status: textOf('status'),
    created: textOf('created'),
    expires: textOf('expires'),
    basis: textOf('basis'),
    baseSha256: textOf('baseSha256', 'base_sha256'),
  },
  (t) => [
    index('remediations_device').on(t.deviceName, t.created.desc().nullsLast(), t.id),
    index('remediations_tree').on(t.treeId, t.created.desc().nullsLast(), t.id),
    index('remediations_report').on(t.reportId),
    index('remediations_created').on(t.created.desc().nullsLast(), t.id),
  ],
);
