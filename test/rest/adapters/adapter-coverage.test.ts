import { beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import { isReserved } from '#server/domains/integrations/types/reserved-names.ts';
import { exportedWorkflows } from '../../helpers/documents/exported-workflows.ts';
import { openService } from '../../helpers/service.ts';

const exported = exportedWorkflows();

/** Errors that say that nothing here knows a task. */
const UNKNOWN = /^name: (adapter|application|task) /;

describe.skipIf(exported.length === 0)('workflows of real exports with tasks of adapters', async () => {
  const service = await openService();
  const { send } = service;
  const isAdapters = ({ location }: Task) => location === 'Adapter' || location === 'Broker';
  const used = exported.flatMap(({ workflow }) => Object.values(workflow.tasks).filter(isAdapters));
  const types = [...new Set(used.map(({ app }) => String(app)))];

  const count = async () => {
    let known = 0;
    let starting = 0;
    const unknown: string[] = [];
    for (const { workflow } of exported) {
      const answer = await send('admin', 'POST', '/automation-studio/workflows/validate', { workflow });
      const { errors } = answer.json as { errors: { task: string; message: string }[] };
      const strange = errors.filter(({ message }) => UNKNOWN.test(message));
      if (strange.length === 0) known += 1;
      if (errors.length === 0) starting += 1;
      for (const { task } of strange) {
        const { app, location } = workflow.tasks[task] ?? {};
        if (location === 'Adapter' || location === 'Broker') unknown.push(String(app));
      }
    }
    return { known, starting, unknown };
  };

  beforeAll(async () => {
    for (const { workflow } of exported) {
      const automation = { ...workflow, name: `Learn from ${workflow.name}` };
      await send('admin', 'POST', '/automation-studio/automations', { automation });
    }
  });

  test('every task of an adapter is known once its type has been learned from the workflows', async () => {
    const before = await count();
    for (const type of types) {
      const learned = await send('admin', 'POST', '/adapter-models/catalogues/learn', { type });
      expect(learned.status, learned.text).toBe(isReserved(type) ? 409 : 200);
    }
    const after = await count();
    console.log(
      `coverage of ${exported.length} workflows: all tasks known ${before.known} → ${after.known}, no error of their own ${before.starting} → ${after.starting}, tasks of adapters unknown ${before.unknown.length} → ${after.unknown.length}`,
    );
    expect(before.unknown.length).toBeGreaterThan(after.unknown.length);
    expect(after.unknown.filter((type) => !isReserved(type))).toEqual([]);
    expect(after.known).toBeGreaterThan(before.known);
  });
});
