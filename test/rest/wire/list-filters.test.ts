import { expect, test } from 'vitest';
import type { z } from 'zod';
import { fieldNamesOf, fieldOf } from '#db/list/fields.ts';
import { type Operation, operations } from '#server/http/operations.ts';
import { declaredAnswer } from '#server/kernel/json-text.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

type Shape = Record<string, z.core.$ZodType | undefined>;

/** The members of an object's schema; none of any other. */
const shapeOf = (schema: z.core.$ZodType | undefined): Shape => {
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def;
  return def?.type === 'object' ? def.shape : {};
};

/** The schema of the documents that a list answers; undefined for what is no list of documents. */
function listedBy({ procedure }: Operation): z.core.$ZodType | undefined {
  const answer = shapeOf(declaredAnswer(procedure._def.output));
  const list = (answer.results ?? answer.items ?? answer.data) as z.core.$ZodTypes | undefined;
  const entry = list?._zod.def.type === 'array' ? list._zod.def.element : undefined;
  return shapeOf(entry).data ?? entry;
}

/** Every field of every list that can hold only certain texts, with a filter by it in each dialect. */
const cases = operations.flatMap((operation) => {
  const { method, path, container } = operation;
  const schema = listedBy(operation);
  if (method !== 'GET' || container !== 'queryOptions' || !schema) return [];
  const at = path
    .replace('/inventory/:kind', '/inventory/http')
    .replace(':kind', 'devices')
    .replace(':jobId', '65a000000000000000000000');
  return fieldNamesOf(schema).flatMap((field) => {
    const choices = fieldOf(schema, field)?.choices;
    if (!choices) return [];
    const filters = {
      pair: [(value: string) => `equals=${value}&equalsField=${field}`, ['equals']] as const,
      bracket: [(value: string) => `equals[${field}]=${value}`, ['equals', field]] as const,
      set: [(value: string) => `in[${field}]=${choices[0]}&in[${field}]=${value}`, ['in', field]] as const,
      'negated set': [(value: string) => `not-in[${field}]=${value}`, ['not-in', field]] as const,
    };
    return (['pair', 'bracket', 'set', 'negated set'] as const).map((dialect) => ({
      at,
      field,
      choices,
      dialect,
      query: filters[dialect][0],
      place: filters[dialect][1],
    }));
  });
});

test('there are lists in both dialects with fields of certain values', () => {
  expect(new Set(cases.map(({ dialect }) => dialect)).size).toBe(4);
  expect(cases.map(({ at, field }) => `${at} ${field}`)).toEqual(
    expect.arrayContaining(['/operations-manager/jobs status', '/operations-manager/triggers type']),
  );
});

test.each(cases)(
  '$at rejects a value that $field can never have, and names the values that it can ($dialect)',
  async ({ at, field, choices, query, place }) => {
    const rejection = await service.send('admin', 'GET', `${at}?${query('no-such-value')}`);
    expect(rejection, rejection.text).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
    const { issues } = rejection.json as { issues: { path: string[]; message: string }[] };
    expect(issues).toHaveLength(1);
    expect(issues[0]?.path).toEqual(place);
    expect(issues[0]?.message).toContain(`"${field}" must be one of ${choices.join(', ')}`);
    const answer = await service.send('admin', 'GET', `${at}?${query(choices[0] ?? '')}`);
    expect(answer.status, answer.text).toBe(200);
  },
);

test('a filter by a value that only other platforms store matches nothing', async () => {
  const agents = 'equalsField=componentType&equals=agents&limit=100&skip=0';
  const answer = await service.send('admin', 'GET', `/operations-manager/automations?${agents}`);
  expect(answer, answer.text).toMatchObject({ status: 200, json: { data: [], metadata: { total: 0 } } });
});

test('a typed caller gets the same rejection', async () => {
  const admin = await service.as('admin');
  await expect(
    admin.operationsManager.listJobs({ queryOptions: { equals: { status: 'failed' } } }),
  ).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('running, paused, complete, error, canceled'),
  });
});
