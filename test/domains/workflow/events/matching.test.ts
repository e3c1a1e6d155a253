import { expect, test } from 'vitest';
import type { EventTrigger } from '#db/schemas/workflow/trigger.ts';
import { type Published, startsOf } from '#server/domains/workflow/events/matching.ts';
import { openPayloadCheck } from '#server/domains/workflow/events/payload-check.service.ts';

const event = (id: string, more: Partial<Published> = {}): Published => ({
  id,
  source: '@vendor/configuration-manager',
  topic: 'backupStored',
  at: Date.parse('2026-02-03T04:05:06.000Z'),
  payload: { name: 'edge-1' },
  ...more,
});

const trigger = (id: string, more: Partial<EventTrigger> = {}): EventTrigger => ({
  _id: id,
  name: id,
  type: 'eventSystem',
  enabled: true,
  source: '@vendor/configuration-manager',
  topic: 'backupStored',
  created: '2026-02-01T00:00:00.000Z',
  ...more,
});

const meets = openPayloadCheck({ warn: () => undefined });

const pairs = async (events: Published[], triggers: EventTrigger[]) =>
  (await startsOf(events, triggers, meets)).map(({ event: { id }, trigger: { _id } }) => `${id}-${_id}`);

test('an event starts every trigger of its source and topic', async () => {
  const others = [trigger('c', { topic: 'configurationChanged' }), trigger('d', { source: 'elsewhere' })];
  expect(await pairs([event('1'), event('2')], [trigger('a'), trigger('b'), ...others])).toEqual([
    '1-a',
    '1-b',
    '2-a',
    '2-b',
  ]);
});

test('a trigger with a schema starts for payloads that meet it, and never when the schema is invalid', async () => {
  const edge = { type: 'object', properties: { name: { pattern: '^edge-' } }, required: ['name'] };
  const events = [event('1'), event('2', { payload: { name: 'core-1' } }), event('3', { payload: {} })];
  expect(
    await pairs(events, [trigger('a', { schema: edge }), trigger('b', { schema: { $ref: '#/nowhere' } })]),
  ).toEqual(['1-a']);
});

test('a trigger starts nothing for what happened before it was made', async () => {
  expect(await pairs([event('1')], [trigger('a', { created: '2026-02-03T04:05:06.001Z' })])).toEqual([]);
});
