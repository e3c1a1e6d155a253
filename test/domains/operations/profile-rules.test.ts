import { expect, test } from 'vitest';
import { Profile } from '#db/schemas/operations/profile.ts';
import { defaultSections } from '#server/domains/operations/profiles/profile-defaults.ts';
import { isProfileId, profileIssues } from '#server/domains/operations/profiles/profile-rules.ts';

test.each(['lab', 'lab 2', 'Labor Zürich', 'a.b', 'x@y:z', '...'])('%j may be the id of a profile', (id) => {
  expect(isProfileId(id)).toBe(true);
});
test.each(['', '.', '..', 'a/b', 'a\\b', ' lab', 'lab ', 'a\nb', 'import', 'x'.repeat(256)])(
  '%j may not be the id of a profile',
  (id) => {
    expect(isProfileId(id)).toBe(false);
  },
);

test.each([
  { authenticationProps: { logoutTime: 1 / 60 } },
  { authenticationProps: { logoutTime: 525_600 } },
  { authenticationProps: { cookieName: 'my.token-1' } },
  { loggerProps: { log_level: 'spam', console_level: 'error', syslog: { level: 'warn' } } },
  {},
])('the sections %j have no issues', (sections) => {
  expect(profileIssues(sections)).toEqual([]);
});

test.each([
  [{ authenticationProps: { logoutTime: 0 } }, 'authenticationProps.logoutTime'],
  [{ authenticationProps: { logoutTime: -5 } }, 'authenticationProps.logoutTime'],
  [{ authenticationProps: { logoutTime: 0.001 } }, 'authenticationProps.logoutTime'],
  [{ authenticationProps: { logoutTime: 525_601 } }, 'authenticationProps.logoutTime'],
  [{ authenticationProps: { cookieName: '' } }, 'authenticationProps.cookieName'],
  [{ authenticationProps: { cookieName: 'a;b' } }, 'authenticationProps.cookieName'],
  [{ authenticationProps: { cookieName: 'a=b' } }, 'authenticationProps.cookieName'],
  [{ authenticationProps: { cookieName: 'café' } }, 'authenticationProps.cookieName'],
  [{ authenticationProps: { cookieName: '__Secure-x' } }, 'authenticationProps.cookieName'],
  [{ authenticationProps: { cookieName: 'x'.repeat(65) } }, 'authenticationProps.cookieName'],
  [{ loggerProps: { log_level: 'loud' } }, 'loggerProps.log_level'],
  [{ loggerProps: { console_level: '' } }, 'loggerProps.console_level'],
  [{ loggerProps: { syslog: { level: 'emerg' } } }, 'loggerProps.syslog.level'],
])('%j is rejected at %s', (sections, path) => {
  expect(profileIssues(sections).map((issue) => issue.path.join('.'))).toEqual([path]);
});

test('all mistakes are reported together', () => {
  const sections = {
    authenticationProps: { logoutTime: 0, cookieName: '' },
    loggerProps: { log_level: 'x' },
  };
  expect(profileIssues(sections)).toHaveLength(3);
});

test('the default sections are the documented ones, and have no issues', () => {
  const sections = defaultSections({ services: ['Health'], port: 3000 });
  expect(profileIssues(sections)).toEqual([]);
  expect(Object.keys(sections).sort()).toEqual(
    Object.keys(Profile.shape)
      .filter((name) => name !== 'id')
      .sort(),
  );
  expect(Profile.parse({ id: 'x', ...sections })).toEqual({ id: 'x', ...sections });
});
