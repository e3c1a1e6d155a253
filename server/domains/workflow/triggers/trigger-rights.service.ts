import { find } from '#db/collection.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { automations } from '#db/tables/assets/assets.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { forbidden, ServiceError } from '#server/kernel/errors.ts';
import { assertWholeAccount } from '#server/kernel/principal.ts';
import { assertMayBind } from '../automations/components.service.ts';

/** What a personal token needs all roles of its account for (`assertWholeAccount`). */
export const TRIGGERS_RUN = 'triggers run';

/**
 * Denies a trigger whose workflow its writer, or the account for which it runs, may not execute. A disabled trigger starts
 * nothing: disabling needs no such right, enabling does.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN
 */
export async function assertMayWriteTrigger(ctx: WriteContext, doc: Trigger): Promise<void> {
  assertWholeAccount(ctx.principal, TRIGGERS_RUN);
  if (doc.enabled === false) return;
  const automation = await find(ctx.db, automations, doc.actionId ?? '');
  if (!automation) return;
  await assertMayBind(ctx, automation.doc);
  if (!doc.runAs || doc.runAs === ctx.principal.id) return;
  const looking = { db: ctx.db, platform: ctx.platform, isTransaction: true };
  const principal = await activeCaller(looking, doc.runAs, 'for which the trigger runs');
  await assertMayBind({ db: ctx.db, principal }, automation.doc).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    const { username, id } = principal;
    throw forbidden(
      `Account ${username} (${id}), for which the trigger runs, may not start the workflow: ${error.message}`,
    );
  });
}
