import { expect, test } from 'vitest';
import { isReserved } from '#server/domains/integrations/types/reserved-names.ts';
import { MODELS } from '#server/domains/network/index.ts';
import { APPS } from '#server/domains/workflow/tasks/catalogue.ts';

test('no adapter type can have the name of an application that provides tasks, or of a model of adapters', () => {
  const names = [...APPS, 'NSOManager', ...Object.keys(MODELS)];
  expect(names.filter((name) => !isReserved(name))).toEqual([]);
  expect(isReserved('workflowengine')).toBe(true);
  expect(isReserved('Servicenow')).toBe(false);
});
