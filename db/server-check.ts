import { sql } from 'drizzle-orm';
import { type Database, rows } from './client.ts';
import { POOLED_SETTINGS, SESSION_SETTINGS } from './connections/session-settings.ts';

const OLDEST_SERVER = 140_000;
/** Connections that a process opens at most with the usual number of workers (docs/high-availability.md). */
const CONNECTIONS = 60;

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

type Server = {
  number: number;
  version: string;
  encoding: string;
  foldsAscii: boolean;
  role: string;
  database: string;
  isReadOnly: boolean;
  isStandby: boolean;
  hasPublic: boolean;
  makesSchemas: boolean;
  makesTables: boolean;
  connections: number;
};

/**
 * Checks whether a database is as the service needs it, before anything is written.
 *
 * @returns a warning about what will not be enough under load; undefined when there is none
 * @throws Error with one line that says what to change, with the statements for it where there are any
 */
export async function checkServer(db: Database): Promise<string | undefined> {
  const [server] = await rows<Server>(
    db,
    sql`select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
          current_setting('server_encoding') as encoding, lower(${CAPITALS}) = ${CAPITALS.toLowerCase()} as "foldsAscii", quote_ident(current_user) as role,
          quote_ident(current_database()) as database, pg_is_in_recovery() as "isStandby",
          current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
          has_database_privilege(current_database(), 'CREATE') as "makesSchemas",
          to_regnamespace('public') is not null as "hasPublic",
          coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'CREATE')
            and has_schema_privilege(to_regnamespace('public')::oid, 'USAGE'), false) as "makesTables",
          (select least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
              nullif(rolconnlimit, -1), nullif(datconnlimit, -1))
            from pg_roles, pg_database where rolname = current_user and datname = current_database()) as connections`,
  );
  if (!server || server.number < OLDEST_SERVER)
    throw new Error(`The database is PostgreSQL ${server?.version}: version 14 or newer is required`);
  const { role, database, encoding } = server;
  if (encoding !== 'UTF8')
    throw new Error(
      `The database has the encoding ${encoding}: UTF8 is required: create database … owner ${role} encoding 'UTF8' template template0`,
    );
  if (!server.foldsAscii)
    throw new Error(
      `The database has a locale in which the small letter of I is not i: searches and selections would miss devices: create database … owner ${role} encoding 'UTF8' locale 'C' ${server.number < 150_000 ? '' : 'locale_provider libc '}template template0, and bring what is stored over with npm run backup and npm run restore`,
    );
  if (server.isReadOnly && !server.isStandby)
    throw new Error(
      `The database accepts no writes of ${role}, because default_transaction_read_only is on: alter role ${role} in database ${database} set default_transaction_read_only = off`,
    );
  const statements = [
    !server.makesSchemas && `grant create on database ${database} to ${role}`,
    !server.hasPublic && 'create schema public',
    !server.makesTables && `grant usage, create on schema public to ${role}`,
  ].filter((statement) => statement !== false);
  if (statements.length > 0)
    throw new Error(
      `The role ${role} may not make its tables in the database ${database}: as the owner of both, run: ${statements.join('; ')}`,
    );
  return server.connections < CONNECTIONS
    ? `The database admits ${server.connections} connections of ${role}, and a process opens up to ${CONNECTIONS}: under load, requests and work wait for each other (docs/high-availability.md)`
    : undefined;
}

/** Settings that the sessions of a pooler must have by themselves. The others are those of the client, or change nothing for short statements. */
const NEEDED = Object.entries(SESSION_SETTINGS).filter(
  ([name]) => !(name in POOLED_SETTINGS) && name !== 'search_path' && name !== 'idle_session_timeout',
);

/**
 * Checks whether the sessions behind a pooler in transaction mode have the settings that the service gives to its own ones.
 *
 * @param db what the pooler leads to
 * @throws Error with one line that has the statements that set them
 */
export async function checkPooler(db: Database): Promise<void> {
  const names = NEEDED.map(([name]) => name);
  const [found] = await rows<{ role: string; schema: string | null; settings: string }>(
    db,
    sql`select quote_ident(current_user) as role, current_schema() as schema,
          (select json_object_agg(lower(name), setting) from pg_settings where lower(name) in (${sql.join(
            names.map((name) => sql`${name}`),
            sql`, `,
          )}))::text as settings`,
  );
  const settings = JSON.parse(found?.settings ?? '{}') as Record<string, string>;
  const statements = [
    ...(found?.schema === 'public' ? [] : [['search_path', 'public'] as const]),
    ...NEEDED.filter(([name, value]) => settings[name] !== value),
  ].map(([name, value]) => `alter role ${found?.role} set ${name} = '${value}'`);
  if (statements.length > 0)
    throw new Error(
      `The sessions behind DATABASE_POOLER_URL have other settings than the service needs: run ${statements.join('; ')}, and reconnect the pooler`,
    );
}
