import type { SignInRules } from '#server/kernel/access.ts';
import { canonical } from '#server/kernel/json/canonical.ts';
import type { Retries } from '#server/kernel/platform.ts';
import { isCookieName, isSessionTime } from '../profiles/profile-rules.ts';

/** The levels of our log, most verbose first. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** What the active profile decides for a running process (contract/lifecycle#10). */
export type ApplicationSettings = SignInRules & {
  /** The origin that `expressProps.access_control_allow_origin` lets in; null where it names none. */
  allowedOrigin: string | null;
  /** The level of this process's log; null where the profile names none, so that LOG_LEVEL decides. */
  logLevel: Level | null;
  /** How often what does not answer is tried again by itself, and after how many milliseconds without failure that starts anew. */
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

/** A profile as it is stored, secrets sealed. */
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
 * The settings in force. What is missing from the profile, or cannot be followed, falls back to the default: a profile
 * that an older release let through must not lock people out.
 */
export function governingOf(profile: StoredProfile | undefined): ApplicationSettings {
  // Sections are objects whenever they are there: the schema saw to it when the profile was written.
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
    // Entries are open documents: one without a group names nobody.
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
 * The level that a profile asks for. There is one log, on standard error, in place of the file and the console that
 * the levels were made for: the more verbose of the two loses no line that either would have had.
 */
function logLevelOf({ log_level, console_level }: NonNullable<Sections['loggerProps']>): Level | null {
  const asked = [log_level, console_level].map((level) => (level === 'spam' ? 'trace' : level));
  return LEVELS.find((level) => asked.includes(level)) ?? null;
}

/**
 * The level that an application or adapter was given; null where it follows the log. All of them begin with `info`, so
 * that alone is no wish: else `LOG_LEVEL` and the profile would decide nothing.
 */
export function levelOfPart(loggerProps: NonNullable<Sections['loggerProps']>): Level | null {
  const level = logLevelOf(loggerProps);
  return level === 'info' ? null : level;
}

/**
 * Sections that take effect while the service runs (contract/lifecycle#10), and the members that tell of the profile
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

/** The sections in which two profiles differ and that take effect at the next start only, in order. */
export function sectionsAtNextStart(before: StoredProfile | undefined, after: StoredProfile): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !LIVE.has(name) && canonical(before?.[name] ?? null) !== canonical(after[name] ?? null))
    .sort();
}
