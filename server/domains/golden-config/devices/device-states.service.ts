import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { DeviceState } from '#db/schemas/network/device.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { benchmarksOf } from '../compliance/grading/grading.ts';
import { gradeIn, scoreIn, shownIn } from '../compliance/grading/score-sql.service.ts';
import { idIn, momentIn, objectIn, textIn, valueIn } from '../compliance/reports/json-text.service.ts';
import { ofReadableTrees } from '../compliance/reports/report-filter.service.ts';

const lastBackup = objectIn({
  id: idIn(sql`backup.id`),
  // A backup that found no change leaves the stored one and notes when it looked.
  date: textIn(sql`greatest(backup.doc ->> 'date', backup.doc ->> 'lastSeen')`),
});

/**
 * Returns the last backup and the newest complete report of devices, as far as the caller may see them: two index look-ups
 * a device. Devices without either, and names of no device, have null in their place.
 *
 * @param names at most 1,000; the states come in this order
 */
export async function listDeviceStates(
  ctx: ReadContext<'config'>,
  names: readonly string[],
): Promise<JsonText<DeviceState[]>> {
  const { db, principal } = ctx;
  const score = sql`(${scoreIn()})`;
  const lastReport = objectIn({
    id: idIn(sql`report.id`),
    date: momentIn(sql`ts`),
    treeId: idIn(sql`tree_id`),
    version: textIn(sql`version`),
    nodePath: textIn(sql`node_path`),
    grade: idIn(gradeIn(score, benchmarksOf(ctx))),
    score: valueIn(shownIn(score)),
  });
  const state = objectIn({
    name: textIn(sql`given.name`),
    lastBackup: sql`coalesce((select ${lastBackup} from (
      select id, doc from ${backups} where ${backups.name} = given.name and ${mayRead(backups, principal) ?? sql`true`}
      order by date desc nulls last, id desc limit 1) as backup), 'null')`,
    lastReport: sql`coalesce((select ${lastReport} from (
      select * from compliance_report where device = given.name and status = 'complete' and ${ofReadableTrees(principal)}
      order by ts desc, id desc limit 1) as report), 'null')`,
  });
  const [found] = await rows<{ list: string }>(
    db,
    sql`select coalesce(string_agg(case when exists (
            select from ${deviceOrigins} where ${deviceOrigins.name} = given.name and ${mayRead(deviceOrigins, principal) ?? sql`true`})
          then ${state}
          else ${objectIn({ name: textIn(sql`given.name`), lastBackup: sql`'null'`, lastReport: sql`'null'` })} end,
          ',' order by given.place), '') as list
        from unnest(${textArray(names)}) with ordinality as given (name, place)`,
  );
  return json(`[${found?.list ?? ''}]`);
}
