import { z } from 'zod';
import { Account } from '#db/schemas/identity/account.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { AccountPatch, NewAccount, NewPassword } from '#db/schemas/requests/account.ts';
import {
  assertMayChangePassword,
  changePassword,
  createAccount,
  exportAccess,
  forceLogout,
  getAccount,
  listAccountNames,
  listAccounts,
  removeSecondFactor,
  updateAccount,
} from '#server/domains/identity/index.ts';
import { answer, PlainText } from '#server/kernel/json-text.ts';
import { allow, rest, type SignedIn, signedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Ok, Page } from './answers.ts';

const AccountRequest = z.strictObject({ accountId: z.string().describe('Id of the account') });

const ListAccountsRequest = z.strictObject({
  queryOptions: listQuery({
    inactive: z.boolean().optional().describe('True: only inactive accounts; false: only active accounts'),
    isServiceAccount: z
      .boolean()
      .optional()
      .describe('True: only service accounts; false: only accounts of users'),
  })
    .prefault({})
    .describe('Filters, page and order'),
});

const Saved = Ok.extend({ data: Account.describe('The account after the change') });

const ChangePasswordRequest = AccountRequest.extend({
  newPassword: NewPassword.describe('The new password, 12 to 1024 characters'),
  currentPassword: z.string().nullish().describe('The current password; required for one’s own account'),
});

const storePassword = write(
  ({ ctx, input }: { ctx: SignedIn; input: z.infer<typeof ChangePasswordRequest> }) =>
    changePassword(ctx, input),
);

/** Accounts of users and machines (contract/lifecycle#3). */
export const accounts = {
  listAccounts: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/accounts', 'List accounts'))
    .input(ListAccountsRequest)
    .output(answer(Page(Account)))
    .query(({ ctx, input }) => listAccounts(ctx, input.queryOptions)),

  listAccountNames: signedIn
    .meta(
      rest('POST', '/authorization/accounts/names', 'The names of accounts that documents refer to by id'),
    )
    .input(
      z.strictObject({
        ids: z
          .array(z.string().max(100))
          .max(1000)
          .meta({ description: 'Ids of accounts, at most 1,000', examples: [['65f0c1d2e3a4b5c6d7e8f901']] }),
      }),
    )
    .output(answer(z.array(Account.pick({ _id: true, username: true, provenance: true }))))
    .query(({ ctx, input }) => listAccountNames(ctx.db, input.ids)),

  getAccount: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/authorization/accounts/:accountId', 'One account, with its inherited groups and roles'),
    )
    .input(AccountRequest)
    .output(answer(Account))
    .query(({ ctx, input }) => getAccount(ctx, input.accountId)),

  createAccount: allow(...ADMIN)
    .meta(rest('POST', '/authorization/accounts', 'Create a user account'))
    .input(z.strictObject({ account: NewAccount.describe('The account') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => createAccount(ctx, input.account))),

  updateAccount: allow(...ADMIN)
    .meta(
      rest('PATCH', '/authorization/accounts/:accountId', 'Change an account; lists replace', {
        bare: 'updates',
        description:
          'Accepts `{"updates":{…}}` or its fields at the top level. Deactivation ends sessions and tokens immediately.',
      }),
    )
    .input(AccountRequest.extend({ updates: AccountPatch.describe('What changes') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => updateAccount(ctx, input.accountId, input.updates))),

  changePassword: signedIn
    .meta(
      rest(
        'PUT',
        '/authorization/accounts/:accountId/password',
        'Change a password: one’s own, or as admin',
        {
          notByToken: true,
          errorResponses: { 422: 'The account has no password on this platform.' },
          description:
            'Common passwords, and simple variants of them or of the account’s name, are rejected. One’s own other sessions end; a reset by an admin ends all sessions and personal tokens of the account.',
        },
      ),
    )
    .input(ChangePasswordRequest)
    .output(answer(Ok))
    .mutation(async (call) => {
      await assertMayChangePassword(call.ctx, call.input);
      return storePassword(call);
    }),

  forceLogout: allow(...ADMIN)
    .meta(
      rest('POST', '/authorization/accounts/:accountId/forceLogout', 'End every session of an account', {
        notByToken: true,
        description: 'Its personal tokens are deleted, and its access tokens are rejected from then on.',
      }),
    )
    .input(AccountRequest)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => forceLogout(ctx, input.accountId))),

  removeSecondFactor: allow(...ADMIN)
    .meta(
      rest(
        'DELETE',
        '/authorization/accounts/:accountId/second_factor',
        'Remove the second factor of an account',
        {
          notByToken: true,
          description:
            'For a user who lost the authenticator and the recovery codes. The sessions of the account end.',
        },
      ),
    )
    .input(AccountRequest)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => removeSecondFactor(ctx, input.accountId))),

  exportAccess: allow(...ADMIN)
    .meta(
      rest(
        'GET',
        '/authorization/csv/export',
        'Export accounts with groups and roles as CSV, for an access review',
        {
          produces: 'text/csv',
        },
      ),
    )
    .input(z.strictObject({}))
    .output(answer(z.string().describe('Lines of username, provenance, inactive, groups, roles')))
    .query(async ({ ctx }) => new PlainText(await exportAccess(ctx.db), 'text/csv; charset=utf-8')),
};
