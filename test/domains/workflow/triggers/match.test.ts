import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replacedBy, type StoredTrigger } from '#server/domains/workflow/automations/match.ts';

const known = (id: string, name: string, type: StoredTrigger['type'] = 'manual'): StoredTrigger => ({
  id,
  name,
  type,
});
const given = (_id: string | undefined, name: string, type: StoredTrigger['type'] = 'manual') => ({
  _id,
  name,
  type,
});

test.each([
  { what: 'the same id, name and type', one: given('a', 'x'), replaces: 'a' },
  { what: 'another id, the same name and type', one: given('b', 'x'), replaces: 'a' },
  { what: 'no id, the same name and type', one: given(undefined, 'x'), replaces: 'a' },
  { what: 'the same id, another name', one: given('a', 'y'), replaces: undefined },
  { what: 'the same id, another type', one: given('a', 'x', 'schedule'), replaces: undefined },
])('with $what it replaces $replaces', ({ one, replaces }) => {
  expect(replacedBy([one], [known('a', 'x')])).toEqual([replaces]);
});

test('a trigger that matches by id is not replaced by another one of its name', () => {
  const others = [known('a', 'x'), known('b', 'x')];
  expect(replacedBy([given(undefined, 'x'), given('a', 'x'), given('c', 'x')], others)).toEqual([
    'b',
    'a',
    undefined,
  ]);
});

test('law: each stored trigger is replaced once at most, by a trigger of its id or of its name and type', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const name = fc.constantFrom('x', 'y');
  const type = fc.constantFrom<StoredTrigger['type']>('manual', 'schedule');
  const others = fc.uniqueArray(fc.record({ id, name, type }), { selector: (one) => one.id });
  const sent = fc.array(fc.record({ _id: fc.option(id, { nil: undefined }), name, type }));
  fc.assert(
    fc.property(sent, others, (list, there) => {
      const replaced = replacedBy(list, there);
      const ids = replaced.filter((one) => one !== undefined);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [at, one] of replaced.entries()) {
        const { name: called, type: kind } = list[at] ?? {};
        if (one !== undefined) expect(there).toContainEqual({ id: one, name: called, type: kind });
        // None is left that it could have replaced.
        else
          expect(
            there.filter((other) => other.name === called && other.type === kind && !ids.includes(other.id)),
          ).toEqual([]);
      }
    }),
  );
});
