import { z } from 'zod';
import { Group } from '#db/schemas/identity/account.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { GroupPatch, NewGroup } from '#db/schemas/requests/account.ts';
import {
  createGroup,
  deleteGroup,
  getGroup,
  listGroupNames,
  listGroups,
  updateGroup,
} from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, signedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Ok, Page } from './answers.ts';

const GroupRequest = z.strictObject({ groupId: z.string().describe('Id of the group') });

const ListGroupsRequest = z.strictObject({
  queryOptions: listQuery({
    inactive: z.boolean().optional().describe('True: only inactive groups; false: only active groups'),
  })
    .prefault({})
    .describe('Filters, page and order'),
});

const Saved = Ok.extend({ data: Group.describe('The group after the change') });

/** Groups, which contain accounts and other groups (contract/lifecycle#3). */
export const groups = {
  listGroups: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/groups', 'List groups'))
    .input(ListGroupsRequest)
    .output(answer(Page(Group)))
    .query(({ ctx, input }) => listGroups(ctx, input.queryOptions)),

  listGroupNames: signedIn
    .meta(rest('GET', '/authorization/groups/list', 'The names of all groups, for sharing documents'))
    .input(z.strictObject({}))
    .output(answer(z.array(Group.pick({ _id: true, name: true, provenance: true }))))
    .query(({ ctx }) => listGroupNames(ctx.db)),

  getGroup: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/groups/:groupId', 'One group, with its inherited groups and roles'))
    .input(GroupRequest)
    .output(answer(Group))
    .query(({ ctx, input }) => getGroup(ctx, input.groupId)),

  createGroup: allow(...ADMIN)
    .meta(
      rest('POST', '/authorization/groups', 'Create a group', {
        bare: 'group',
        description: 'Accepts `{"group":{…}}` or its fields at the top level.',
      }),
    )
    .input(z.strictObject({ group: NewGroup.describe('The group') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => createGroup(ctx, input.group))),

  updateGroup: allow(...ADMIN)
    .meta(rest('PATCH', '/authorization/groups/:groupId', 'Change a group; lists replace'))
    .input(GroupRequest.extend({ updates: GroupPatch.describe('What changes') }))
    .output(answer(Saved))
    .mutation(write(({ ctx, input }) => updateGroup(ctx, input.groupId, input.updates))),

  deleteGroup: allow(...ADMIN)
    .meta(
      rest(
        'DELETE',
        '/authorization/groups/:groupId',
        'Delete a group and remove it from memberships and access lists',
        {
          description:
            'Rejected with 409 when the group is the only one on an access list: removing it would open the document to everyone.',
        },
      ),
    )
    .input(GroupRequest)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteGroup(ctx, input.groupId))),
};
