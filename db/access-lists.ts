import { is } from 'drizzle-orm';
import { type PgColumn, PgTable } from 'drizzle-orm/pg-core';
import * as adapterTables from './tables/adapters.ts';
import * as assetTables from './tables/assets.ts';
import * as tables from './tables/documents.ts';
import * as gatewayTables from './tables/gateway.ts';
import * as jobTables from './tables/jobs.ts';
import * as planTables from './tables/plans.ts';
import * as policyTables from './tables/policies.ts';
import * as remediationTables from './tables/remediations.ts';
import * as reportTables from './tables/reports.ts';

/** A table whose documents have an access list of their own (`access` in db/columns.ts). */
type AccessListTable = PgTable & { id: PgColumn; readGroups: PgColumn; writeGroups: PgColumn };

const MODULES = {
  ...adapterTables,
  ...assetTables,
  ...gatewayTables,
  ...jobTables,
  ...planTables,
  ...policyTables,
  ...remediationTables,
  ...reportTables,
  ...tables,
};

/**
 * The one registry of tables with access lists: whatever applies to every access list goes through it. A test compares
 * it with the columns of the database, so that no table can be forgotten.
 */
export const ACCESS_LIST_TABLES: readonly AccessListTable[] = Object.values(MODULES).filter(
  (table): table is typeof table & AccessListTable =>
    is(table, PgTable) && 'readGroups' in table && 'writeGroups' in table,
);
