import { describe, expect, test } from 'vitest';
import {
  governingOf,
  levelOfPart,
  sectionsAtNextStart,
} from '#server/domains/operations/applications/governing.ts';

const profile = (sections: object) => ({ id: 'lab', ...sections });

describe('what a profile decides', () => {
  test('without a profile the defaults apply', () => {
    expect(governingOf(undefined)).toEqual({
      cookieName: 'token',
      logoutTime: 60,
      sessionMaximum: 720,
      uniqueSession: false,
      admins: [],
      allowedOrigin: null,
      logLevel: null,
      retries: { most: 5, resetMs: 60_000 },
    });
  });
  test('its sections override the defaults', () => {
    const sections = {
      authenticationProps: {
        cookieName: 'lab',
        logoutTime: 0.5,
        sessionMaximum: 30,
        uniqueSession: true,
        admins: [{ provenance: 'local', group: 'noc' }],
      },
      expressProps: { access_control_allow_origin: 'https://noc.example.net' },
      loggerProps: { log_level: 'debug' },
      retryStrategy: { maxRetries: 0, retryResetTimer: 5000 },
    };
    expect(governingOf(profile(sections))).toEqual({
      cookieName: 'lab',
      logoutTime: 0.5,
      sessionMaximum: 30,
      uniqueSession: true,
      admins: [{ provenance: 'local', group: 'noc' }],
      allowedOrigin: 'https://noc.example.net',
      logLevel: 'debug',
      retries: { most: 0, resetMs: 5000 },
    });
  });
  test.each([
    { cookieName: 'a b' },
    { cookieName: '' },
    { cookieName: '__Host-token' },
    { cookieName: 5 },
    { logoutTime: 0 },
    { logoutTime: -1 },
    { logoutTime: '60' },
    { logoutTime: 1e9 },
    { sessionMaximum: 0 },
    { sessionMaximum: '720' },
    { admins: 'all' },
    { uniqueSession: 'yes' },
  ])('the session settings %j are not usable, and the defaults apply', (authenticationProps) => {
    expect(governingOf(profile({ authenticationProps }))).toEqual(governingOf(undefined));
  });
  test.each([
    [{}, null],
    [{ log_level: 'warn' }, 'warn'],
    [{ console_level: 'error' }, 'error'],
    [{ log_level: 'error', console_level: 'debug' }, 'debug'],
    [{ log_level: 'spam' }, 'trace'],
    [{ log_level: 'loud' }, null],
    [{ log_level: 'loud', console_level: 'info' }, 'info'],
  ])('logger settings %j ask for the level %j', (loggerProps, level) => {
    expect(governingOf(profile({ loggerProps })).logLevel).toBe(level);
  });
});

test.each([
  { maxRetries: -1 },
  { maxRetries: 1.5 },
  { maxRetries: '3' },
  { retryResetTimer: -1 },
  { retryResetTimer: 1e15 },
])('the retries %j are not usable, and the default applies', (retryStrategy) => {
  expect(governingOf(profile({ retryStrategy })).retries).toEqual(governingOf(undefined).retries);
});

test.each([
  [{ log_level: 'info', console_level: 'info' }, null],
  [{}, null],
  [{ log_level: 'error', console_level: 'error' }, 'error'],
  [{ log_level: 'error', console_level: 'info' }, null],
  [{ log_level: 'spam', console_level: 'info' }, 'trace'],
])('an application with %j is given the level %j', (loggerProps, level) => {
  expect(levelOfPart(loggerProps)).toBe(level);
});

describe('what waits for the next start', () => {
  const before = profile({ redisProps: { db: 1, name: 'x' }, systemProps: { a: [1] }, own: 1 });
  test('nothing, when nothing differs but the order of fields', () => {
    expect(
      sectionsAtNextStart(
        before,
        profile({ own: 1, systemProps: { a: [1] }, redisProps: { name: 'x', db: 1 } }),
      ),
    ).toEqual([]);
  });
  test('nothing of what takes effect immediately', () => {
    const after = {
      ...before,
      id: 'other',
      description: 'x',
      authenticationProps: { logoutTime: 5 },
      loggerProps: {},
      retryStrategy: {},
      prebuiltProps: {},
    };
    expect(sectionsAtNextStart(before, after)).toEqual([]);
  });
  test('other sections that changed, came or went, by name', () => {
    const after = profile({ redisProps: { db: 2, name: 'x' }, systemProps: { a: [1] }, alarmProps: [] });
    expect(sectionsAtNextStart(before, after)).toEqual(['alarmProps', 'own', 'redisProps']);
  });
  test('everything, for a process that began without a profile', () => {
    expect(sectionsAtNextStart(undefined, before)).toEqual(['own', 'redisProps', 'systemProps']);
  });
});
