import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { JobDocument } from '#server/domains/workflow/jobs/reducer/document.ts';
import { childVariables, resolved, viewOf } from '#server/domains/workflow/jobs/reducer/references.ts';
import { largeFrom } from '#server/domains/workflow/jobs/store/large-values.ts';
import { evaluation } from '#server/domains/workflow/task-runs/values/evaluation.ts';
import { merge } from '#server/domains/workflow/task-runs/values/merge.ts';
import { taskTypeOf } from '#server/domains/workflow/tasks/catalogue.ts';
import { schemasOf } from '#server/domains/workflow/validation/schemas.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { task, workflowOf } from '../../../helpers/workflows.ts';

const name = fc.constantFrom('ntp', 'site', 'device', 'vlan');
const written = name.map((one) => `$var.job.${one}`);
const reference = fc.oneof(
  fc.record({ task: fc.constantFrom('job', 'static', 'a1'), variable: name }),
  fc.record({ task: fc.constantFrom('job', 'static', 'a1'), value: name }),
);
const leaf = fc.oneof(
  written,
  reference,
  fc.integer(),
  name.map((one) => `see $var.job.${one}`),
);
const nested = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.dictionary(name, leaf, { maxKeys: 2 }));
const members = fc.dictionary(name, nested, { maxKeys: 3 });

const tasks: fc.Arbitrary<Task> = fc.oneof(
  members.map((incoming) => task('makeData', incoming)),
  fc.record({ variableMap: members, options: nested }).map((incoming) => task('transformation', incoming)),
  members.map((variables) => task('childJob', { workflow: 'x', variables })),
  fc
    .array(fc.record({ operand_1: nested, operator: fc.constant('=='), operand_2: nested }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((evaluations) => task('evaluation', { evaluation_groups: [{ evaluations }] })),
  fc
    .array(fc.record({ key: fc.constant('k'), value: nested }), { minLength: 2, maxLength: 3 })
    .map((entries) => task('merge', { data_to_merge: entries })),
);

/** Names of the job variables that a run of a task looks up. */
function readByRun(one: Task): string[] {
  const read = new Set<string>();
  const variables = new Proxy<Record<string, unknown>>(
    {},
    {
      getOwnPropertyDescriptor: (_, key) => {
        read.add(String(key));
        return undefined;
      },
    },
  );
  const doc = { head: { variables }, state: { tasks: {}, ready: [] } } as unknown as JobDocument;
  const large = largeFrom(new Map());
  const incoming = resolved(doc, large, one);
  if (one.name === 'childJob') childVariables(doc, large, incoming.variables);
  if (one.name === 'evaluation') evaluation(incoming, viewOf(doc, large));
  if (one.name === 'merge') merge(incoming, viewOf(doc, large));
  return [...read].sort();
}

test('the input schema requires exactly the job variables that a run reads', () => {
  fc.assert(
    fc.property(tasks, (one) => {
      const { inputSchema } = schemasOf(workflowOf('x', { a1: one }), {
        task: taskTypeOf,
        transformation: () => undefined,
        input: () => undefined,
      });
      expect((inputSchema.required as string[]).toSorted()).toEqual(readByRun(one));
    }),
    lawRuns(500),
  );
});
