import { expect, test } from 'vitest';
import { mayReadKind } from '#server/domains/workflow/events/readers.ts';

test('a custom role that may call the endpoint hears of its documents; of an unknown kind only admins do', () => {
  const rights = { roles: [], permissions: ['ConfigurationManager.getTree'] };
  expect(mayReadKind(rights, 'tree')).toBe(true);
  expect(mayReadKind(rights, 'backup')).toBe(false);
  expect(mayReadKind({ roles: ['apiread'], permissions: [] }, 'unheard of')).toBe(false);
  expect(mayReadKind({ roles: ['admin'], permissions: [] }, 'unheard of')).toBe(true);
});
