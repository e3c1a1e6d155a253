import { expect, test } from 'vitest';
import { mayReadKind, READING } from '#server/domains/workflow/events/readers.ts';
import { operations } from '#server/http/operations.ts';

test('each kind is read by an endpoint that is there, with the callers that it has', () => {
  const audiences = new Map(operations.map(({ permission, meta }) => [permission, meta.audience]));
  for (const [kind, { permission, audience }] of Object.entries(READING)) {
    expect(audiences.get(permission), kind).toEqual(audience);
  }
});

test('a custom role that may call the endpoint hears of its documents; of an unknown kind only admins do', () => {
  const rights = { roles: [], permissions: ['ConfigurationManager.getTree'] };
  expect(mayReadKind(rights, 'tree')).toBe(true);
  expect(mayReadKind(rights, 'backup')).toBe(false);
  expect(mayReadKind({ roles: ['apiread'], permissions: [] }, 'unheard of')).toBe(false);
  expect(mayReadKind({ roles: ['admin'], permissions: [] }, 'unheard of')).toBe(true);
});
