import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { find, remove, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import {
  NotificationRule,
  type NotificationRuleInput,
  type NotificationRuleUpdates,
} from '#db/schemas/notifications/rule.ts';
import { notificationRules } from '#db/tables/notifications/notifications.ts';
import { listEvents } from '#server/domains/workflow/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  accessOf,
  insertUnlessTaken,
  makerOf,
  unlessTaken,
} from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { madeBy } from '#server/kernel/documents/new-document.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, type Issue, notFound } from '#server/kernel/errors.ts';
import { assertWholeAccount, type Caller } from '#server/kernel/principal.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';

/** Maximum number of rules. */
const MOST_RULES = 500;
/** Maximum number of them that run as one account, so that others have room; admins may delete those of others, and fill it. */
const MOST_RULES_OF_ACCOUNT = 50;

const resource = defineResource({
  name: 'notification rules',
  schema: NotificationRule,
  source: notificationRules,
  columns: { name: notificationRules.name, runAs: notificationRules.runAs },
  defaultSort: [{ field: 'name', order: 1 }],
  unlimited: true,
});

/**
 * Returns the condition for the rules that a caller may see: its own, for an admin all.
 *
 * @returns a condition on `notification_rules`; undefined for an admin
 */
export const visibleRules = ({ id, roles }: Caller) =>
  roles.includes('admin') ? undefined : sql`notification_rules.run_as = ${id}`;

/**
 * Returns one page of the rules that the caller may see.
 *
 * @param query options of a list (contract/decisions#get-options)
 * @throws ServiceError BAD_REQUEST for an unknown option
 */
export async function listRules({ db, principal }: ReadContext, query: Readonly<Record<string, unknown>>) {
  const access = accessOf(visibleRules(principal));
  return core<NotificationRule>(await list(db, resource, readList(resource, query), access));
}

/** Returns one rule. @throws ServiceError NOT_FOUND, also for the rule of another account */
export const getRule = async (ctx: ReadContext, id: string): Promise<NotificationRule> =>
  (await findRule(ctx, id)).doc;

async function findRule(
  { db, principal }: ReadContext,
  id: string,
  lock = false,
): Promise<Stored<NotificationRule>> {
  const condition = sql`id = ${id} and ${visibleRules(principal) ?? sql`true`}`;
  const stored = await find(db, notificationRules, condition, lock);
  if (!stored) throw notFound('Notification rule', id);
  return stored;
}

/** What a personal token needs all roles of its account for (`assertWholeAccount`). */
const RUNS = 'notifications are sent';

/**
 * Stores a new rule, which runs as the caller unless an admin names another account.
 *
 * @throws ServiceError BAD_REQUEST with every issue, FORBIDDEN, CONFLICT when the name is taken
 */
export async function createRule(ctx: WriteContext, given: NotificationRuleInput) {
  assertWholeAccount(ctx.principal, RUNS);
  await assertRoom(ctx);
  assertNone(await ruleIssues(ctx, given));
  const id = newId(ctx.platform.now().getTime());
  const doc: NotificationRule = {
    ...given,
    enabled: given.enabled ?? true,
    runAs: given.runAs ?? ctx.principal.id,
    _id: id,
    ...madeBy(makerOf(ctx)),
  };
  const name = { index: 'notification_rules_name', message: taken(given.name) };
  await insertUnlessTaken(ctx.db, notificationRules, { id, doc }, name);
  return { status: 'Created' as const, message: `Created ${given.name}.`, data: doc };
}

/**
 * Changes fields of a rule; absent fields stay. Whoever changes a rule becomes the account that it runs as.
 *
 * @throws ServiceError BAD_REQUEST with every issue, FORBIDDEN, NOT_FOUND, CONFLICT
 */
export async function updateRule(ctx: WriteContext, id: string, updates: NotificationRuleUpdates) {
  const stored = await findRule(ctx, id, true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Rule ${stored.doc.name}`);
  assertWholeAccount(ctx.principal, RUNS);
  assertNone(await ruleIssues(ctx, updates));
  const changed = Object.fromEntries(Object.entries(updates).filter(([, value]) => value !== undefined));
  const doc: NotificationRule = {
    ...stored.doc,
    ...changed,
    runAs: updates.runAs ?? ctx.principal.id,
    lastUpdated: grownStamp(ctx.platform.now(), stored.doc.lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  };
  const written = await unlessTaken('notification_rules_name', taken(doc.name), () =>
    replace(ctx.db, notificationRules, stored, doc),
  );
  if (!written) throw changedMeanwhile(`Rule ${doc.name}`);
  return { status: 'OK' as const, message: `Updated ${doc.name}.`, data: doc };
}

/** Deletes a rule and its deliveries. @throws ServiceError NOT_FOUND */
export async function deleteRule(ctx: WriteContext, id: string) {
  const stored = await findRule(ctx, id, true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Rule ${stored.doc.name}`);
  await remove(ctx.db, notificationRules, [id]);
  return { status: 'OK' as const, message: `Deleted ${stored.doc.name}.` };
}

/** Rejects a rule beyond the maximum of all, or of an account that is no admin. */
async function assertRoom({ db, principal }: WriteContext): Promise<void> {
  await assertQuota(db, notificationRules, { most: MOST_RULES, what: 'notification rules' });
  if (principal.roles.includes('admin')) return;
  const only = sql`run_as = ${principal.id}`;
  await assertQuota(db, notificationRules, {
    most: MOST_RULES_OF_ACCOUNT,
    what: 'notification rules of yours',
    only,
  });
}

const taken = (name: string) => `A notification rule with the name ${name} already exists`;

async function ruleIssues(
  { db, principal }: WriteContext,
  rule: NotificationRuleInput | NotificationRuleUpdates,
): Promise<Issue[]> {
  const { topics = [], channels = [], runAs } = rule;
  const known = new Set(listEvents({}).data.map(({ topic }) => topic));
  const unknown = topics.flatMap((topic, at) =>
    topic === '*' || known.has(topic)
      ? []
      : [issue(['rule', 'topics', at], `no event is named ${topic}`, 'unknown_event')],
  );
  return [...unknown, ...(await channelIssues(db, channels)), ...(await accountIssues(db, principal, runAs))];
}

async function channelIssues(db: Database, channels: readonly string[]): Promise<Issue[]> {
  if (channels.length === 0) return [];
  // Locked, so that none of them is deleted meanwhile.
  const found = await rows<{ id: string }>(
    db,
    sql`select id from notification_channels where id = any(${textArray(channels)}) order by id for share`,
  );
  const ids = new Set(found.map(({ id }) => id));
  return channels.flatMap((id, at) =>
    ids.has(id) ? [] : [issue(['rule', 'channels', at], `channel ${id} does not exist`, 'unknown')],
  );
}

async function accountIssues(db: Database, principal: Caller, runAs: string | undefined): Promise<Issue[]> {
  if (runAs === undefined || runAs === principal.id) return [];
  const at = ['rule', 'runAs'];
  if (!principal.roles.includes('admin')) return [issue(at, 'only an admin may name another account')];
  const found = await rows(db, sql`select from accounts where id = ${runAs}`);
  return found.length > 0 ? [] : [issue(at, `account ${runAs} does not exist`, 'unknown_account')];
}
