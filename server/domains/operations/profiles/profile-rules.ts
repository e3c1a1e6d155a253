import { LogLevel } from '#db/schemas/operations/logger-props.ts';
import type { Profile } from '#db/schemas/operations/profile.ts';
import type { Issue } from '#server/kernel/errors.ts';

/** Session times in minutes: at least a second, or nobody could use the session; at most a year. */
const SESSION_TIME = { least: 1 / 60, most: 525_600 } as const;

/** A token as in RFC 6265; browsers apply additional rules to names with these prefixes. */
const COOKIE_NAME = /^(?!__host-|__secure-)[\w!#$%&'*+.^`|~-]{1,64}$/i;

/** Returns whether browsers store a cookie of this name and send it back, over HTTP too. */
export const isCookieName = (name: string): boolean => COOKIE_NAME.test(name);

/** Returns whether a session may have this idle time or lifetime, in minutes. */
export const isSessionTime = (minutes: number): boolean =>
  minutes >= SESSION_TIME.least && minutes <= SESSION_TIME.most;

/** Ids are used in paths and messages: no slashes or control characters, and not the dots that clients resolve. */
const PROFILE_ID = /^(?!\.{1,2}$)(?!\s)[^/\\\p{Cc}]{1,255}(?<!\s)$/u;

/** Words that have a meaning of their own in place of an id in paths (contract/lifecycle#0.2.2). */
const PATHS = new Set(['import']);

/** Returns whether a new profile may have this id. */
export const isProfileId = (id: string): boolean => PROFILE_ID.test(id) && !PATHS.has(id);

/** The sections to replace. */
export type ProfileChange = { [Section in keyof Profile]?: Profile[Section] | undefined };

/**
 * Returns the issues of a profile's values that its types allow: settings that would end every session at once, that
 * browsers would not support, or that have no meaning (contract/lifecycle#10; contract/resources#2.15).
 */
export function profileIssues({ authenticationProps, loggerProps }: ProfileChange): Issue[] {
  const issues: Issue[] = [];
  const { logoutTime, sessionMaximum, cookieName } = authenticationProps ?? {};
  for (const [name, minutes] of Object.entries({ logoutTime, sessionMaximum })) {
    if (minutes === undefined || isSessionTime(minutes)) continue;
    issues.push({
      path: ['authenticationProps', name],
      message: 'must be minutes from a second (0.0167) to a year (525600)',
      code: 'invalid_value',
    });
  }
  if (cookieName !== undefined && !isCookieName(cookieName)) {
    issues.push({
      path: ['authenticationProps', 'cookieName'],
      message:
        "must be a cookie name: letters, digits and !#$%&'*+-.^_`|~, at most 64 characters, not beginning with __Host- or __Secure-",
      code: 'invalid_value',
    });
  }
  return [...issues, ...loggerIssues(loggerProps)];
}

type Levels = {
  log_level?: unknown;
  console_level?: unknown;
  syslog?: { level?: unknown } | undefined;
};

/** Returns an issue for each unknown log level in the `loggerProps` of a profile or an application. */
export function loggerIssues(loggerProps: Levels | undefined): Issue[] {
  const { log_level, console_level, syslog } = loggerProps ?? {};
  const given: [string[], unknown][] = [
    [['log_level'], log_level],
    [['console_level'], console_level],
    [['syslog', 'level'], syslog?.level],
  ];
  return given
    .filter(([, level]) => level !== undefined && !LogLevel.safeParse(level).success)
    .map(([path]) => ({
      path: ['loggerProps', ...path],
      message: `must be one of ${LogLevel.options.join(', ')}`,
      code: 'invalid_value',
    }));
}
