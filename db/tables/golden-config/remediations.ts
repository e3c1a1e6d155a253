import { index, pgTable } from 'drizzle-orm/pg-core';
import { document, textOf } from '../../columns.ts';
import type { Remediation } from '../../schemas/golden-config/remediation.ts';

/** Proposed commands that would remediate devices (contract/lifecycle#4.10); the tree decides who may read them. */
export const remediations = pgTable(
  'remediations',
  {
    ...document<Remediation>(),
    deviceName: textOf('deviceName', 'device_name'),
    treeId: textOf('treeId', 'tree_id'),
    reportId: textOf('reportId', 'report_id'),
    /** The status as last written; each query determines whether the proposal has since expired or become stale. */
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
