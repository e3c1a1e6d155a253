import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { SignInRules } from '#server/engines/access/service.ts';
import { type Remembered, remember } from '#server/remember.ts';

/** What the active profile decides for a running process (lifecycle §10). */
export type Governing = SignInRules & {
  /** The origin that `expressProps.access_control_allow_origin` lets in; null where it names none. */
  allowedOrigin: string | null;
};

/** Seconds for which a change of profile in another process may go unnoticed, should its notification be lost. */
const BELIEVED_MS = 1000;

const DEFAULTS: Governing = {
  cookieName: 'token',
  logoutTime: 60,
  uniqueSession: false,
  admins: [],
  allowedOrigin: null,
};

type Sections = {
  authenticationProps?: {
    cookieName?: unknown;
    logoutTime?: unknown;
    uniqueSession?: unknown;
    admins?: unknown;
  };
  expressProps?: { access_control_allow_origin?: unknown };
};

/** The settings in force, read from the active profile. */
export const openGoverning = (db: Database): Remembered<Governing> =>
  remember(async () => {
    const [row] = await rows<{ doc: string }>(db, sql`select doc::text as doc from profiles where active`);
    return governingOf(row ? (JSON.parse(row.doc) as Sections) : {});
  }, BELIEVED_MS);

/** A profile holds what its author wrote: what is missing or of another type falls back to the default. */
function governingOf({ authenticationProps = {}, expressProps = {} }: Sections): Governing {
  const { cookieName, logoutTime, uniqueSession, admins } = authenticationProps;
  const origin = expressProps.access_control_allow_origin;
  return {
    cookieName:
      typeof cookieName === 'string' && /^[\w-]{1,64}$/.test(cookieName) ? cookieName : DEFAULTS.cookieName,
    logoutTime: typeof logoutTime === 'number' && logoutTime > 0 ? logoutTime : DEFAULTS.logoutTime,
    uniqueSession: uniqueSession === true,
    admins: Array.isArray(admins) ? (admins as Governing['admins']) : DEFAULTS.admins,
    allowedOrigin: typeof origin === 'string' && origin !== '' ? origin : null,
  };
}
