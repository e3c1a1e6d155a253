import type { Database } from '#db/client.ts';
import type { AccessDefault } from '#db/schemas/identity/access-default.ts';
import { accessDefault } from '#db/tables/identity/sign-in.ts';
import {
  answerSettings,
  replaceSettings,
  type SettingsRow,
} from '#server/kernel/documents/settings-row.service.ts';

const SETTINGS: SettingsRow<AccessDefault> = {
  table: accessDefault,
  id: 'default',
  key: 'access_default_pkey',
  name: ['The access default', 'it'],
};
const OPEN: AccessDefault = { unlisted: 'readers', configurationSecrets: 'shown' };

/** Returns who may read documents without an access list, with its ETag in the headers. */
export const getAccessDefault = async (ctx: {
  db: Database;
  answer: { headers: Record<string, string> };
}): Promise<AccessDefault> => ({ ...OPEN, ...(await answerSettings(ctx, SETTINGS)) });

/**
 * Decides who may read documents without an access list. It takes effect at once, in every process.
 *
 * @throws ServiceError CONFLICT when it was changed in the meantime
 */
export async function replaceAccessDefault(
  ctx: { db: Database; request: { ifMatch: string | null } },
  given: AccessDefault,
) {
  const doc = { ...OPEN, ...given };
  await replaceSettings(ctx, SETTINGS, doc);
  const message = `Documents without an access list are for ${doc.unlisted}; secrets in configurations are ${doc.configurationSecrets}.`;
  return { status: 'OK' as const, message, data: doc };
}
