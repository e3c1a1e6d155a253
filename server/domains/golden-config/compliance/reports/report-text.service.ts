import { type SQL, sql } from 'drizzle-orm';
import { idIn, momentIn, objectIn, textIn, valueIn } from './json-text.service.ts';

/* JSON text for rows `r` of compliance_report, as responses show them. */

const totals: SQL = objectIn({
  errors: valueIn(sql`r.errors`),
  warnings: valueIn(sql`r.warnings`),
  infos: valueIn(sql`r.infos`),
  passes: valueIn(sql`r.passes`),
});

const place = {
  batchId: textIn(sql`r.batch_id`),
  treeId: textIn(sql`r.tree_id`),
  version: textIn(sql`r.version`),
  nodePath: textIn(sql`r.node_path`),
};

const header = {
  id: textIn(sql`r.id`),
  _id: textIn(sql`r.id`),
  ...place,
  deviceType: textIn(sql`r.device_type`),
  specId: textIn(sql`r.spec_id`),
  inheritedSpecIds: valueIn(sql`r.inherited_spec_ids`),
  deviceName: textIn(sql`r.device`),
  variables: sql`r.variables::text`,
  timestamp: momentIn(sql`r.ts`),
  totals,
  status: textIn(sql`r.status`),
  evaluated: valueIn(sql`r.evaluated`),
  parseWarnings: sql`r.parse_warnings::text`,
};
const perhaps = { error: sql`to_json(r.error)::text`, backupId: sql`to_json(r.backup_id)::text` };

/** A report without its issues (contract/lifecycle#4.8). */
export const headerText: SQL = objectIn(header, perhaps);

/** A report; `f` is the row of compliance_finding that it references, or null. */
export const reportText: SQL = objectIn({ ...header, issues: sql`coalesce(f.issues::text, '[]')` }, perhaps);

const history = {
  id: textIn(sql`r.id`),
  ...place,
  deviceName: textIn(sql`r.device`),
  timestamp: momentIn(sql`r.ts`),
  totals,
};

/** A record of the history (contract/resources#2.6). */
export const historyText: SQL = objectIn(history);

/** A record of the history of a backup (contract/lifecycle#4.8). */
export const backupHistoryText: SQL = objectIn({ ...history, backupId: textIn(sql`r.backup_id`) });

/**
 * Returns a graded run (contract/lifecycle#4.8).
 *
 * @param score as it is displayed
 * @param grade one of our constants, which need no escaping
 */
export const gradedRunText = (score: SQL, grade: SQL): SQL =>
  objectIn({
    id: textIn(sql`r.id`),
    nodePath: textIn(sql`r.node_path`),
    deviceName: textIn(sql`r.device`),
    timestamp: momentIn(sql`r.ts`),
    error: valueIn(sql`r.errors`),
    warning: valueIn(sql`r.warnings`),
    info: valueIn(sql`r.infos`),
    pass: valueIn(sql`r.passes`),
    score: valueIn(score),
    grade: idIn(grade),
  });
