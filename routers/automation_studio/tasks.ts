import { z } from 'zod';
import { DetailedTask } from '#db/schemas/workflow/task-type.ts';
import { getTaskAt, getTasks, listApps } from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { WORKFLOW_READ } from '#server/kernel/roles.ts';

const location = z
  .string()
  .meta({ description: 'Where the task runs: Application or Adapter', examples: ['Application'] });
const pckg = z
  .string()
  .meta({ description: 'Application or adapter type of the task', examples: ['WorkFlowEngine'] });
const method = z.string().meta({ description: 'Name of the task', examples: ['query'] });

export const dereferenceSchemas = z
  .boolean()
  .optional()
  .describe('Has no effect: the schemas have no references. Accepted because clients send it');

export const tasks = {
  getTask: allow(...WORKFLOW_READ)
    .meta(
      rest(
        'GET',
        '/automation-studio/locations/:location/packages/:pckg/tasks/:method',
        'One task of the catalogue',
      ),
    )
    .input(z.strictObject({ location, pckg, method, dereferenceSchemas }))
    .output(answer(DetailedTask))
    .query(({ ctx, input }) => getTaskAt(ctx, input)),

  getTasks: allow(...WORKFLOW_READ)
    .meta(
      rest('POST', '/automation-studio/multipleTaskDetails', 'Several tasks, in the requested order', {
        inQuery: ['dereferenceSchemas'],
      }),
    )
    .input(
      z.strictObject({
        inputsArray: z
          .array(z.strictObject({ location, pckg, method }))
          .max(1000)
          .describe('The tasks, at most 1000'),
        dereferenceSchemas,
      }),
    )
    .output(answer(z.array(DetailedTask.nullable())))
    .query(({ ctx, input }) => getTasks(ctx, input.inputsArray)),

  listApps: allow(...WORKFLOW_READ)
    .meta(rest('GET', '/automation-studio/apps/list', 'Applications and adapter types that offer tasks'))
    .input(z.strictObject({}))
    .output(
      answer(
        z.array(
          z.object({
            name: z.string().describe('Name of the application or adapter type'),
            type: z
              .enum(['Application', 'Adapter'])
              .describe('Application: of this platform; Adapter: an adapter type'),
          }),
        ),
      ),
    )
    .query(({ ctx }) => listApps(ctx)),
};
