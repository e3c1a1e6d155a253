import { z } from 'zod';
import {
  NotificationRule,
  NotificationRuleInput,
  NotificationRuleUpdates,
} from '#db/schemas/notifications/rule.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createRule,
  deleteRule,
  getRule,
  listRules,
  updateRule,
} from '#server/domains/notifications/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { AUTOMATION_WRITE } from '#server/kernel/roles.ts';
import { Ok, Page } from '../authorization/answers.ts';
import { Created, Updated } from '../automationgateway/answers.ts';

const PATH = '/notifications/rules';
const OneRule = z.strictObject({ id: ObjectId.describe('Id of the rule') });

const OWN = 'An account sees the rules that run as it; an admin sees all.';

/** Rules that state which events are sent where. */
export const rules = {
  listRules: allow(...AUTOMATION_WRITE)
    .meta(rest('GET', PATH, 'List the notification rules', { description: OWN }))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(NotificationRule)))
    .query(({ ctx, input }) => listRules(ctx, input.queryOptions)),

  getRule: allow(...AUTOMATION_WRITE)
    .meta(rest('GET', `${PATH}/:id`, 'Read a notification rule', { description: OWN }))
    .input(OneRule)
    .output(answer(NotificationRule))
    .query(({ ctx, input }) => getRule(ctx, input.id)),

  createRule: allow(...AUTOMATION_WRITE)
    .meta(
      rest('POST', PATH, 'Store a new notification rule', {
        description:
          'Sends the events that the account of the rule (`runAs`) may read at that moment, from now on. GET /operations-manager/events lists the topics.',
        errorResponses: { 409: 'The name is taken, or there are 500 rules.' },
      }),
    )
    .input(z.strictObject({ rule: NotificationRuleInput }))
    .output(answer(Created(NotificationRule)))
    .mutation(write(({ ctx, input }) => createRule(ctx, input.rule))),

  updateRule: allow(...AUTOMATION_WRITE)
    .meta(
      rest('PATCH', `${PATH}/:id`, 'Change fields of a notification rule', {
        description: `${OWN} The rule then runs as the caller, unless an admin names another account.`,
      }),
    )
    .input(OneRule.extend({ rule: NotificationRuleUpdates }))
    .output(answer(Updated(NotificationRule)))
    .mutation(write(({ ctx, input }) => updateRule(ctx, input.id, input.rule))),

  deleteRule: allow(...AUTOMATION_WRITE)
    .meta(
      rest('DELETE', `${PATH}/:id`, 'Delete a notification rule with its deliveries', { description: OWN }),
    )
    .input(OneRule)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteRule(ctx, input.id))),
};
