import { describe, expect, test } from 'vitest';
import { referencesIn } from '#server/domains/assets/stored/references.ts';
import { malformed } from '#server/domains/workflow/definitions/graph.ts';
import { APPS, taskTypeOf } from '#server/domains/workflow/tasks/catalogue.ts';
import { faultsOf } from '#server/domains/workflow/transformations/check.ts';
import { schemasOf } from '#server/domains/workflow/validation/schemas.ts';
import { validate } from '#server/domains/workflow/validation/validate.ts';
import { exportedWorkflows } from '../../../helpers/documents/exported-workflows.ts';

/**
 * Workflows whose stored schemas are older than their tasks, by name. None among the exports that are here: a new one
 * is looked into before it is put down.
 */
const STALE: readonly string[] = [];

/** Workflows that were exported as drafts, by name: a child job that does not say which workflow it runs. */
const DRAFTS: readonly string[] = ['Chunk Array Wrapper'];

type Stored = { properties?: Record<string, { type?: unknown }>; required?: string[] };
const sorted = (names: Iterable<string>) => [...names].sort();
const namesOf = (schema: unknown) => sorted(Object.keys((schema as Stored).properties ?? {}));

const exported = exportedWorkflows();

describe.skipIf(exported.length === 0)('workflows that the reference exported', () => {
  test.each(exported)('$title has the schemas that it was stored with', (one) => {
    const { workflow, transformations } = one;
    const { inputSchema, outputSchema } = schemasOf(workflow, {
      task: taskTypeOf,
      transformation: (id) => transformations.get(id),
      input: (name) => exported.find((other) => other.workflow.name === name)?.workflow.inputSchema,
    });
    if (STALE.includes(workflow.name)) return;
    expect(namesOf(inputSchema)).toEqual(namesOf(workflow.inputSchema));
    expect(namesOf(outputSchema)).toEqual(namesOf(workflow.outputSchema));
    const required = (workflow.inputSchema as Stored).required ?? [];
    expect(sorted((inputSchema as { required: string[] }).required)).toEqual(sorted(required));
  });

  test.each(exported)('$title is a valid graph, and the validator reports only missing references', (one) => {
    const { workflow } = one;
    expect(malformed(workflow)).toEqual([]);
    const { errors } = validate(workflow, {
      task: taskTypeOf,
      hasApp: (app) => APPS.includes(app),
      missing: [],
      input: () => undefined,
      faults: (id) => faultsOf(one.transformations.get(id) ?? {}),
    });
    const others = errors.filter(({ message }) => !/^name: (adapter|application) /.test(message ?? ''));
    expect(others.length > 0).toBe(DRAFTS.includes(workflow.name));
    expect(referencesIn('workflow', workflow).every(({ value }) => value !== '')).toBe(true);
  });
});
