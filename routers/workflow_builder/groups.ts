import { z } from 'zod';
import { GroupReference } from '#db/schemas/workflow/task.ts';
import {
  addGroup,
  listGroups,
  removeGroup,
  removeGroups,
  replaceGroups,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';

const PATH = '/workflow_builder/workflows/:name/groups';

const OfWorkflow = z.strictObject({ name: z.string().describe('Name of the workflow') });
const group = z.string().meta({
  description: 'Id of a group, or the word default',
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
});
const Groups = z.array(GroupReference);

/** The groups whose members may read and run a workflow (contract/lifecycle#5.2). */
export const groups = {
  listGroups: allow(...STUDIO_READ)
    .meta(rest('GET', PATH, 'Groups of a workflow'))
    .input(OfWorkflow)
    .output(answer(Groups))
    .query(({ ctx, input }) => listGroups(ctx, input.name)),

  replaceGroups: allow(...STUDIO_WRITE)
    .meta(rest('PUT', PATH, 'Replace the groups of a workflow'))
    .input(OfWorkflow.extend({ groups: z.array(group).describe('The groups') }))
    .output(answer(Groups))
    .mutation(write(({ ctx, input }) => replaceGroups(ctx, input.name, input.groups))),

  addGroup: allow(...STUDIO_WRITE)
    .meta(rest('POST', PATH, 'Add a group to a workflow'))
    .input(OfWorkflow.extend({ group }))
    .output(answer(Groups))
    .mutation(write(({ ctx, input }) => addGroup(ctx, input.name, input.group))),

  removeGroups: allow(...STUDIO_WRITE)
    .meta(rest('DELETE', PATH, 'Remove all groups of a workflow'))
    .input(OfWorkflow)
    .output(answer(Groups))
    .mutation(write(({ ctx, input }) => removeGroups(ctx, input.name))),

  removeGroup: allow(...STUDIO_WRITE)
    .meta(rest('DELETE', `${PATH}/:group`, 'Remove a group of a workflow'))
    .input(OfWorkflow.extend({ group }))
    .output(answer(Groups))
    .mutation(write(({ ctx, input }) => removeGroup(ctx, input.name, input.group))),
};
