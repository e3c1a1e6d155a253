import { expect, test } from 'vitest';
import { z } from 'zod';
import { ImportedAutomation } from '#db/schemas/requests/automation.ts';
import { asStored } from '#db/schemas/requests/null-fields.ts';
import { cpuTime } from '../helpers/cpu-time.ts';

const MANY = 40_000;
const TRIGGER = { type: 'manual', name: 'a', enabled: true, actionType: 'automations', description: null };

test.each([
  ['right', TRIGGER],
  ['wrong', { ...TRIGGER, type: 'schedule', name: 1 }],
  ['of no type', {}],
])(
  'triggers of an import that are %s are not parsed once for each type before they are counted',
  (_, trigger) => {
    const automation = { name: 'x', triggers: Array.from({ length: MANY }, () => ({ ...trigger })) };
    asStored(ImportedAutomation, { ...automation, triggers: automation.triggers.slice(0, 1000) });
    const begun = cpuTime();
    asStored(ImportedAutomation, automation);
    expect(cpuTime() - begun).toBeLessThan(500);
  },
);

test('a value of a union whose field tells its schema apart loses the nulls that this schema does not accept', () => {
  const schema = z.discriminatedUnion('type', [
    z.object({ type: z.literal('a'), one: z.string().optional(), two: z.string().nullish() }),
    z.object({ type: z.enum(['b', 'c']), one: z.string().nullable() }),
  ]);
  expect(asStored(schema, { type: 'a', one: null, two: null })).toEqual({ type: 'a', two: null });
  expect(asStored(schema, { type: 'c', one: null })).toEqual({ type: 'c', one: null });
  for (const other of [{ type: 'd', one: null }, { one: null }, { type: { toString: null } }])
    expect(asStored(schema, other)).toBe(other);
});
