import { z } from 'zod';
import { Role } from '#db/schemas/identity/account.ts';
import { Done } from '#db/schemas/primitives.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { NewRole, RolePatch } from '#db/schemas/requests/account.ts';
import { createRole, deleteRole, getRole, listRoles, updateRole } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Page } from './answers.ts';

const RoleRequest = z.strictObject({ roleId: z.string().describe('Id of the role') });

const ListRolesRequest = z.strictObject({
  queryOptions: listQuery({}).prefault({}).describe('Filters, page and order'),
});

const Saved = Done.extend({ data: Role.describe('The role after the change') });

/** Roles: the platform's own, which are read-only, and custom ones with selected permissions (contract/lifecycle#3). */
export const roles = {
  listRoles: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/roles', 'List roles'))
    .input(ListRolesRequest)
    .output(answer(Page(Role)))
    .query(({ ctx, input }) => listRoles(ctx, input.queryOptions)),

  getRole: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/roles/:roleId', 'One role'))
    .input(RoleRequest)
    .output(answer(Role))
    .query(({ ctx, input }) => getRole(ctx, input.roleId)),

  createRole: allow(...ADMIN)
    .meta(
      rest('POST', '/authorization/roles', 'Create a custom role of permissions and views', {
        description: 'Read-only fields of a role that was read are ignored.',
      }),
    )
    .input(z.strictObject({ role: NewRole.describe('The role') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => createRole(ctx, input.role))),

  updateRole: allow(...ADMIN)
    .meta(rest('PATCH', '/authorization/roles/:roleId', 'Change a custom role; lists replace'))
    .input(RoleRequest.extend({ updates: RolePatch.describe('What changes') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => updateRole(ctx, input.roleId, input.updates))),

  deleteRole: allow(...ADMIN)
    .meta(
      rest(
        'DELETE',
        '/authorization/roles/:roleId',
        'Delete a custom role and remove it from all accounts and groups',
      ),
    )
    .input(RoleRequest)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => deleteRole(ctx, input.roleId))),
};
