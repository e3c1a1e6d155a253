/**
 * Settings of every session, whatever a database administrator has set for the role, the database or the server: what is read and
 * written does not depend on them. A transaction sees what others have committed before each of its statements (a lock is of no use
 * otherwise), times are text in UTC, and no time limit ends a statement before that of the service does.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
  search_path: 'public',
  default_transaction_isolation: 'read committed',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** Settings that poolers accept at the start of a session, and keep for each of their clients. */
const POOLED = ['client_encoding', 'timezone', 'datestyle', 'standard_conforming_strings'];

/** Settings of a session behind a pooler, for the start of the session. */
export const POOLED_SETTINGS = Object.fromEntries(POOLED.map((name) => [name, SESSION_SETTINGS[name]]));

/** A server that hears nothing of this machine ends the session within ten seconds instead of two hours, with its locks. */
export const END_IF_UNHEARD = {
  tcp_keepalives_idle: '4',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
};

const setting = (name: string, value: string) => `set_config('${name}', '${value}', false)`;

/**
 * Returns the statement that begins a session. At the start of the session poolers would reject the settings.
 *
 * @param more further settings
 */
export const beginSession = (more: Readonly<Record<string, string>> = {}): string =>
  // Servers before PostgreSQL 17 do not have transaction_timeout.
  `select ${Object.entries({ ...SESSION_SETTINGS, ...more })
    .map(([name, value]) => setting(name, value))
    .join(
      ', ',
    )}, (select ${setting('transaction_timeout', '0')} from pg_settings where name = 'transaction_timeout')`;
