import type { SignInRules } from '#server/kernel/access.ts';
import { canonical } from '#server/kernel/json/canonical.ts';
import type { Retries } from '#server/kernel/platform.ts';
import { isCookieName, isSessionTime } from '../profiles/profile-rules.ts';

/** Our log levels, most verbose first. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Settings of the active profile for a running process (contract/lifecycle#10). */
export type ApplicationSettings = SignInRules & {
  /** The origin that `expressProps.access_control_allow_origin` allows; null where it names none. */
  allowedOrigin: string | null;
  /** The level of this process's log; null where the profile names none, so that LOG_LEVEL decides. */
  logLevel: Level | null;
  /** How often a failing call is retried automatically, and the failure-free time in milliseconds that resets the count. */
  retries: Retries;
};

const DEFAULTS: ApplicationSettings = {
  cookieName: 'token',
  logoutTime: 60,
  sessionMaximum: 720,
  uniqueSession: false,
  admins: [],
  allowedOrigin: null,
  logLevel: null,
  retries: { most: 5, resetMs: 60_000 },
};

/** A profile as it is stored, with sealed secrets. */
export type StoredProfile = { id: string; [section: string]: unknown };

type Sections = {
  authenticationProps?: {
    cookieName?: unknown;
    logoutTime?: unknown;
    sessionMaximum?: unknown;
    uniqueSession?: unknown;
    admins?: unknown;
  };
  expressProps?: { access_control_allow_origin?: unknown };
  loggerProps?: { log_level?: unknown; console_level?: unknown };
  retryStrategy?: { maxRetries?: unknown; retryResetTimer?: unknown };
};

/**
 * Returns the active settings. Values that are missing from the profile or unusable fall back to the default: a profile
 * that an older release accepted must not lock users out.
 */
export function governingOf(profile: StoredProfile | undefined): ApplicationSettings {
  // Existing sections are objects: the schema checked that when the profile was written.
  const {
    authenticationProps = {},
    expressProps = {},
    loggerProps = {},
    retryStrategy = {},
  } = (profile ?? {}) as Sections;
  const { cookieName, logoutTime, sessionMaximum, uniqueSession, admins } = authenticationProps;
  const origin = expressProps.access_control_allow_origin;
  return {
    cookieName: typeof cookieName === 'string' && isCookieName(cookieName) ? cookieName : DEFAULTS.cookieName,
    logoutTime:
      typeof logoutTime === 'number' && isSessionTime(logoutTime) ? logoutTime : DEFAULTS.logoutTime,
    sessionMaximum:
      typeof sessionMaximum === 'number' && isSessionTime(sessionMaximum)
        ? sessionMaximum
        : DEFAULTS.sessionMaximum,
    uniqueSession: uniqueSession === true,
    // Entries are open documents: one without a group matches nobody.
    admins: Array.isArray(admins) ? (admins as ApplicationSettings['admins']) : DEFAULTS.admins,
    allowedOrigin: typeof origin === 'string' && origin !== '' ? origin : null,
    logLevel: logLevelOf(loggerProps),
    retries: {
      most: countOf(retryStrategy.maxRetries, 1_000_000) ?? DEFAULTS.retries.most,
      resetMs: countOf(retryStrategy.retryResetTimer, YEAR_MS) ?? DEFAULTS.retries.resetMs,
    },
  };
}

const YEAR_MS = 365 * 24 * 3_600_000;

const countOf = (value: unknown, most: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most ? value : null;

/**
 * Returns the log level of a profile. There is one log, on standard error, in place of the file and the console of the
 * profile's levels: the more verbose of the two loses no line that either would have had.
 */
function logLevelOf({ log_level, console_level }: NonNullable<Sections['loggerProps']>): Level | null {
  const levels = [log_level, console_level].map((level) => (level === 'spam' ? 'trace' : level));
  return LEVELS.find((level) => levels.includes(level)) ?? null;
}

/**
 * Returns the log level of an application or adapter; null where it follows the log. All of them start with `info`, so that
 * this does not count as a choice: otherwise `LOG_LEVEL` and the profile would have no effect.
 */
export function levelOfPart(loggerProps: NonNullable<Sections['loggerProps']>): Level | null {
  const level = logLevelOf(loggerProps);
  return level === 'info' ? null : level;
}

/**
 * Sections that take effect while the service runs (contract/lifecycle#10), and the fields that describe the profile
 * itself.
 */
const LIVE = new Set([
  'id',
  'description',
  'authenticationProps',
  'loggerProps',
  'retryStrategy',
  'prebuiltProps',
]);

/** Returns the sections in which two profiles differ and that take effect only at the next start, in order. */
export function sectionsAtNextStart(before: StoredProfile | undefined, after: StoredProfile): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !LIVE.has(name) && canonical(before?.[name] ?? null) !== canonical(after[name] ?? null))
    .sort();
}
