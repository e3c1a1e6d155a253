import { describe, expect, test } from 'vitest';
import { Application } from '#db/schemas/operations/application.ts';
import {
  areasOf,
  fixedFieldsChanged,
  isStoppable,
  merge,
  newApplication,
  withLevel,
} from '#server/domains/operations/applications/applications.ts';
import { applicationOf } from '#server/kernel/application-of.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';

const endpoint = (name: string, path: string) => ({
  name,
  permission: name.charAt(0).toUpperCase() + name.slice(1),
  method: 'GET',
  path,
  audience: 'signed-in' as const,
});

test('a procedure belongs to the application of its area', () => {
  expect(applicationOf('configurationManager.getTree')).toBe('ConfigurationManager');
});

describe('areas', () => {
  test('each area once, by name, with the segment that most of its paths share', () => {
    const catalogue = [
      endpoint('profiles.getProfiles', '/profiles'),
      endpoint('health.getServer', '/health/server'),
      endpoint('health.getSystem', '/health/system'),
      endpoint('health.getVersion', '/version'),
    ];
    expect(areasOf(catalogue).map(({ name, prefix }) => [name, prefix])).toEqual([
      ['Health', 'health'],
      ['Profiles', 'profiles'],
    ]);
  });
  test('no segment, where none is shared by more than half', () => {
    const catalogue = [endpoint('session.signIn', '/login'), endpoint('session.signOut', '/logout')];
    expect(areasOf(catalogue)).toEqual([{ name: 'Session', prefix: '', description: 'Signing in and out' }]);
  });
});

test('a new application meets the schema of applications', () => {
  const area = { name: 'ConfigurationManager', prefix: 'configuration_manager', description: '' };
  const application = newApplication(area, 4096);
  expect(Application.parse(application)).toEqual(application);
  expect(application).toMatchObject({
    name: 'ConfigurationManager',
    model: '@vendor/app-configuration_manager',
    systemProps: { maxOldSpaceSize: 4096 },
  });
});

test.each([
  ['Authorization', false],
  ['Health', false],
  ['Applications', false],
  ['Profiles', true],
  ['OperationsManager', true],
])('%s may be stopped: %s', (name, stoppable) => {
  expect(isStoppable(name)).toBe(stoppable);
});

describe('what an application is cannot change', () => {
  const stored = newApplication({ name: 'Mop', prefix: 'mop', description: '' }, 1);
  test.each([
    [{ name: 'Other' }, ['name']],
    [
      { type: 'Adapter', model: 'x', virtual: false, isEncrypted: false },
      ['type', 'model', 'isEncrypted', 'virtual'],
    ],
    [{ name: 'Mop', profiling: true }, []],
  ])('the update %j would change the fixed fields %j', (sent, fixed) => {
    expect(fixedFieldsChanged(stored, sent)).toEqual(fixed);
  });
});

describe('withLevel', () => {
  const before = { log_level: 'info', console_level: 'info', log_filename: 'x', syslog: { host: 'h' } };
  test.each([
    [undefined, { ...before, log_level: 'debug', console_level: 'debug' }],
    ['file' as const, { ...before, log_level: 'debug' }],
    ['console' as const, { ...before, console_level: 'debug' }],
    ['syslog' as const, { ...before, syslog: { host: 'h', level: 'debug' } }],
  ])('sets the level of the transport %s', (transport, after) => {
    expect(withLevel(before, { level: 'debug', transport })).toEqual(after);
  });
  test('creates the logger settings of an application that has none', () => {
    expect(withLevel(undefined, { level: 'warn', transport: 'syslog' })).toEqual({
      syslog: { level: 'warn' },
    });
  });
});

test.each([
  [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: { b: 1 } }, { a: null }, { a: null }],
  [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  [{}, { constructor: { x: 1 } }, { constructor: { x: 1 } }],
])('%j with %j laid over it is %j', (under, over, merged) => {
  expect(merge(under, over)).toEqual(merged);
});

describe('If-Match', () => {
  const stamp = '2026-02-03T04:05:06.789123Z';
  test.each([null, '*', `"${stamp}"`, stamp, `W/"${stamp}"`, `"other", "${stamp}"`])(
    '%s lets the write through',
    (tag) => {
      expect(() => assertUnchanged(tag, stamp, 'Profile lab')).not.toThrow();
    },
  );
  test.each(['"other"', '""', '', '"2026-02-03T04:05:06.789Z"'])('%s rejects the write', (tag) => {
    expect(() => assertUnchanged(tag, stamp, 'Profile lab')).toThrow(
      /Profile lab was changed by another request/,
    );
  });
});
