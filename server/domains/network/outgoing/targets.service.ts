import type { Database } from '#db/client.ts';
import type { OutgoingTarget, OutgoingTargets } from '#db/schemas/network/outgoing-targets.ts';
import { outgoingTargets } from '#db/tables/network/outgoing.ts';
import {
  answerSettings,
  readSettings,
  replaceSettings,
  type SettingsRow,
} from '#server/kernel/documents/settings-row.service.ts';
import { listedHostFault } from '#server/kernel/targets/listed-targets.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';

const SETTINGS: SettingsRow<OutgoingTargets> = {
  table: outgoingTargets,
  id: 'targets',
  key: 'outgoing_targets_pkey',
  name: ['The list of outgoing targets', 'it'],
};

/** Returns the destinations to which jobs may send requests; empty until an admin lists some (contract/additions#9). */
export async function listedTargets(db: Database): Promise<OutgoingTarget[]> {
  return (await readSettings(db, SETTINGS))?.doc.targets ?? [];
}

/** Returns the listed destinations, with their ETag in the headers. */
export const getTargets = async (ctx: {
  db: Database;
  answer: { headers: Record<string, string> };
}): Promise<OutgoingTargets> => (await answerSettings(ctx, SETTINGS)) ?? { targets: [] };

/**
 * Replaces the listed destinations.
 *
 * @throws ServiceError BAD_REQUEST naming each invalid host; CONFLICT when the list was changed in the meantime
 */
export async function replaceTargets(
  ctx: { db: Database; request: { ifMatch: string | null } },
  { targets }: OutgoingTargets,
) {
  assertNone(
    targets.flatMap(({ host }, index) => {
      const fault = listedHostFault(host);
      return fault === null ? [] : [issue(['targets', index, 'host'], fault)];
    }),
  );
  const doc: OutgoingTargets = { targets };
  await replaceSettings(ctx, SETTINGS, doc);
  const message = `Listed ${targets.length} outgoing target${targets.length === 1 ? '' : 's'}.`;
  return { status: 'OK' as const, message, data: doc };
}
