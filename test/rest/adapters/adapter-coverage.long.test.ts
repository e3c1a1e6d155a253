import { beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import { isReserved } from '#server/domains/integrations/types/reserved-names.ts';
import { exportedWorkflows } from '../../helpers/documents/exported-workflows.ts';
import { FACE_MAPS, FACED } from '../../helpers/integrations/faced-systems.ts';
import { documentOf, integrationOf, serverAt, storeModel } from '../../helpers/integrations/integrations.ts';
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

  /** Stores a document for each adapter whose document is known, with an integration that has its face. */
  const giveFaces = async () => {
    for (const [type, { paths }] of Object.entries(FACED)) {
      await storeModel(service, documentOf(`Lab ${type}`, paths));
      const face = { type, map: FACE_MAPS[type] ?? {} };
      const integration = integrationOf(`lab-${type}`, `Lab ${type}:1`, { ...serverAt(9, 'http'), face });
      const made = await send('admin', 'POST', '/integrations', integration);
      expect(made.status, made.text).toBe(200);
    }
  };
  const line = (what: string, { known, starting, unknown }: Awaited<ReturnType<typeof count>>) =>
    process.stdout.write(
      `coverage of ${exported.length} workflows with ${what}: ${known} with all tasks known, ${starting} without an error of their own, ${unknown.length} tasks of adapters unknown\n`,
    );

  test('every task of an adapter is known by documents and faces, or once its type was learned from workflows', async () => {
    const before = await count();
    line('the applications of the platform', before);
    await giveFaces();
    const faced = await count();
    line('documents and faces', faced);
    for (const type of Object.keys(FACED)) expect(faced.unknown).not.toContain(type);
    for (const type of types.filter((one) => !(one in FACED))) {
      const learned = await send('admin', 'POST', '/adapter-models/catalogues/learn', { type });
      expect(learned.status, learned.text).toBe(isReserved(type) ? 409 : 200);
    }
    const after = await count();
    line('catalogues for the rest', after);
    expect(after.unknown.filter((type) => !isReserved(type))).toEqual([]);
    expect(faced.known).toBeGreaterThan(before.known);
    expect(after.known).toBeGreaterThan(faced.known);
    expect(after.starting).toBeGreaterThanOrEqual(faced.starting);
  });
});
