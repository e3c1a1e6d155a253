import { createHash, randomBytes } from 'node:crypto';
import { chown, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import { DATABASE, SUPERUSER } from './cluster.ts';
import { createOnce } from './durable-file.ts';

/** The role that the service connects as. It owns its database and all objects in it, and has no rights on the rest. */
export const ROLE = 'switchyard_service';

const passwordFile = (folder: string) => join(folder, 'postgres.password');

/**
 * Returns the role's password.
 *
 * @param folder path of the folder of the embedded database
 * @throws Error when it is missing: only an older version has run this database so far
 */
export async function readPassword(folder: string): Promise<string> {
  const password = await readFile(passwordFile(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `An older version of Switchyard, which has no ${passwordFile(folder)}, is running the embedded database: stop it first`,
    );
  });
  return password.trim();
}

interface Preparing {
  /** Holds the password. */
  folder: string;
  cluster: string;
  binaries: Binaries;
  account: Account | undefined;
  durable: boolean;
  /** Lets the role create further databases: for tests. */
  createsDatabases: boolean;
}

/**
 * Configures the cluster, whose server must not be running, to admit only the service's role with its password. In a
 * cluster of an earlier version, where anyone who reached the socket was superuser, the role becomes the owner of all
 * existing objects. The superuser is used only here, in single-user mode.
 *
 * @returns PostgreSQL's error message; undefined on success
 */
export async function prepareRole(preparing: Preparing): Promise<string | undefined> {
  const { folder, cluster, binaries, account, durable } = preparing;
  const password = await ensurePassword(folder);
  const access = accessRules(preparing, password);
  const file = join(cluster, 'pg_hba.conf');
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found === access) return undefined;
  const { code, errors } = await runProgram(
    binaries.postgres,
    [
      '--single',
      '-D',
      cluster,
      // The statements contain the password: none of them may be logged.
      ...['log_min_messages=error', 'log_min_error_statement=panic', 'logging_collector=off'].flatMap(
        asSetting,
      ),
      ...(durable ? [] : testSettings(binaries).flatMap(asSetting)),
      DATABASE,
    ],
    account,
    statements(preparing, password),
  );
  const failure = errors.split('\n').find((line) => /ERROR:|FATAL:|PANIC:/.test(line));
  if (code !== 0 || failure) return failure ?? `PostgreSQL's single-user mode ended with ${code}`;
  // Written last: while it is missing, the next start repeats all of this.
  await writeFile(`${file}.new`, access, { mode: 0o600 });
  if (account) await chown(`${file}.new`, account.uid, account.gid);
  await rename(`${file}.new`, file);
  return undefined;
}

const asSetting = (setting: string): string[] => ['-c', setting];

/**
 * Settings of a cluster for tests, which need not survive a power failure. With the usual number of iterations, every
 * client spends a millisecond on its password.
 */
const testSettings = ({ major }: Binaries): string[] => [
  'fsync=off',
  ...(major >= 16 ? ['scram_iterations=1'] : []),
];

/** Returns the existing password or a new one. Of several processes at once, one writes and the others read its result. */
async function ensurePassword(folder: string): Promise<string> {
  await createOnce(passwordFile(folder), `${randomBytes(32).toString('base64url')}\n`);
  return readPassword(folder);
}

/** Returns pg_hba.conf. It names the password by its hash, so that another password makes the role be prepared again. */
function accessRules({ createsDatabases }: Preparing, password: string): string {
  const hash = createHash('sha256').update(`${password}\n${createsDatabases}`).digest('hex');
  return `# Written by Switchyard at its start (role ${hash.slice(0, 16)}); changes are lost.
local all ${SUPERUSER} reject
local all all scram-sha-256
`;
}

/** Returns statements, one a line, that create the role and make it owner of all objects that are not the server's own. */
function statements({ createsDatabases }: Preparing, password: string): string {
  const all = [
    `do $$ begin
       if not exists (select from pg_roles where rolname = '${ROLE}') then create role ${ROLE}; end if;
     end $$`,
    `alter role ${ROLE} login nosuperuser nocreaterole noreplication nobypassrls
       ${createsDatabases ? 'createdb' : 'nocreatedb'} password '${password}'`,
    `alter role ${SUPERUSER} password null`,
    `alter database ${DATABASE} owner to ${ROLE}`,
    `do $$ declare one record; begin
       for one in
         select format('schema %I', nspname) as what from pg_namespace
           where ${IS_OURS}
         union all
         select format('%s %I.%I', case relkind when 'v' then 'view' when 'm' then 'materialized view'
                                                when 'S' then 'sequence' else 'table' end, nspname, relname)
           from pg_class c join pg_namespace n on n.oid = relnamespace
           where relkind in ('r', 'p', 'v', 'm', 'S') and ${IS_OURS}
             and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                             and d.deptype in ('e', 'a', 'i') and c.relkind = 'S')
             and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                             and d.deptype = 'e')
         union all
         select format('%s %s', case prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end,
                       p.oid::regprocedure)
           from pg_proc p join pg_namespace n on n.oid = pronamespace
           where ${IS_OURS} and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass
                                            and d.objid = p.oid and d.deptype = 'e')
         union all
         select format('type %s', t.oid::regtype)
           from pg_type t join pg_namespace n on n.oid = typnamespace
           where typtype in ('e', 'd', 'r') and ${IS_OURS}
             and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass
                             and d.objid = t.oid and d.deptype = 'e')
       loop
         execute format('alter %s owner to ${ROLE}', one.what);
       end loop;
     end $$`,
    'checkpoint',
  ];
  return all.map((statement) => `${statement.replace(/\s+/g, ' ')};\n`).join('');
}

/** Excludes the server's own schemas. */
const IS_OURS = `nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_(toast|temp)'`;
