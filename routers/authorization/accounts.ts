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
  listAccounts,
  updateAccount,
} from '#server/domains/identity/index.ts';
import { answer, PlainText } from '#server/kernel/json-text.ts';
import { allow, rest, type SignedIn, signedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Ok, Page } from './answers.ts';

const AccountRequest = z.strictObject({ accountId: z.string().describe('Id of the account') });

const ListAccountsRequest = z.strictObject({
  queryOptions: listQuery({
    inactive: z
      .boolean()
      .optional()
      .describe('Only accounts that are switched off, or only those that are not'),
    isServiceAccount: z.boolean().optional().describe('Only accounts of machines, or only those of people'),
  })
    .prefault({})
    .describe('Filters, page and order'),
});

const Saved = Ok.extend({ data: Account.describe('The account as it is now') });

const ChangePasswordRequest = AccountRequest.extend({
  newPassword: NewPassword.describe('The new password, 12 to 1024 characters'),
  currentPassword: z.string().nullish().describe('The password until now; needed for one’s own account'),
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

  getAccount: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/accounts/:accountId', 'One account, with what it inherits'))
    .input(AccountRequest)
    .output(answer(Account))
    .query(({ ctx, input }) => getAccount(ctx, input.accountId)),

  createAccount: allow(...ADMIN)
    .meta(rest('POST', '/authorization/accounts', 'Create an account of a person'))
    .input(z.strictObject({ account: NewAccount.describe('The account') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => createAccount(ctx, input.account))),

  updateAccount: allow(...ADMIN)
    .meta(
      rest('PATCH', '/authorization/accounts/:accountId', 'Change an account; lists replace', {
        bare: 'updates',
        description:
          'Takes `{"updates":{…}}` or its members bare. Switching off ends sessions and tokens at once.',
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
        'Replace a password: one’s own, or as admin',
        {
          notByToken: true,
          refusals: { 422: 'The account is one that has no password here.' },
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

  exportAccess: allow(...ADMIN)
    .meta(
      rest('GET', '/authorization/csv/export', 'Who may do what, as CSV, for a review of access', {
        produces: 'text/csv',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(z.string().describe('Lines of username, provenance, inactive, groups, roles')))
    .query(async ({ ctx }) => new PlainText(await exportAccess(ctx.db), 'text/csv; charset=utf-8')),
};
