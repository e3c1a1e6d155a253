import { LogLevel } from '#db/schemas/operations/logger-props.ts';
import type { Profile } from '#db/schemas/operations/profile.ts';
import type { Issue } from '#server/kernel/errors.ts';

/** Times that end a session, in minutes: a second at least, or nobody could use it; a year at most. */
const SESSION_TIME = { least: 1 / 60, most: 525_600 } as const;

/** A token as RFC 6265 asks for; browsers hold names with these beginnings to rules of their own. */
const COOKIE_NAME = /^(?!__host-|__secure-)[\w!#$%&'*+.^`|~-]{1,64}$/i;

/** Whether browsers store a cookie of this name and send it back, over HTTP too. */
export const isCookieName = (name: string): boolean => COOKIE_NAME.test(name);

/** Whether a session may idle or live this long, in minutes. */
export const isSessionTime = (minutes: number): boolean =>
  minutes >= SESSION_TIME.least && minutes <= SESSION_TIME.most;

/** Ids stand in paths and messages: names without slashes or control characters, and not the dots that clients resolve away. */
const PROFILE_ID = /^(?!\.{1,2}$)(?!\s)[^/\\\p{Cc}]{1,255}(?<!\s)$/u;

/** Words that stand in the place of an id in paths, and win over one (contract/lifecycle#0.2.2). */
const PATHS = new Set(['import']);

/** Whether a new profile may be called so. */
export const isProfileId = (id: string): boolean => PROFILE_ID.test(id) && !PATHS.has(id);

/** Sections to replace. */
export type ProfileChange = { [Section in keyof Profile]?: Profile[Section] | undefined };

/**
 * What is wrong with values of a profile that its types allow: settings that would end every session at once, that no
 * browser could follow, or that mean nothing (contract/lifecycle#10; contract/resources#2.15).
 */
export function profileIssues({ authenticationProps, loggerProps }: ProfileChange): Issue[] {
  const issues: Issue[] = [];
  const { logoutTime, sessionMaximum, cookieName } = authenticationProps ?? {};
  for (const [name, minutes] of Object.entries({ logoutTime, sessionMaximum })) {
    if (minutes === undefined || isSessionTime(minutes)) continue;
    issues.push({
      path: ['authenticationProps', name],
      message: 'must be more than 0: minutes, a second (0.0167) to a year (525600)',
      code: 'invalid_value',
    });
  }
  if (cookieName !== undefined && !isCookieName(cookieName)) {
    issues.push({
      path: ['authenticationProps', 'cookieName'],
      message:
        "must be a cookie name: letters, digits and !#$%&'*+-.^_`|~, at most 64, not beginning __Host- or __Secure-",
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

/** Log levels that there are none of, in a profile's or an application's `loggerProps`. */
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
