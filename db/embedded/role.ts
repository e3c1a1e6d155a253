import { createHash, randomBytes } from 'node:crypto';
import { chown, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import { DATABASE, SUPERUSER } from './cluster.ts';

/** The role that we connect as. It owns its database and everything in it, and can do nothing to the rest of the server. */
export const ROLE = 'switchyard_service';

const passwordFile = (folder: string) => join(folder, 'postgres.password');

/** The password of our role. Throws when there is none: then no version that knows of it has run this database yet. */
export async function readPassword(folder: string): Promise<string> {
  const password = await readFile(passwordFile(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `The embedded database is run by an older version of Switchyard, which left no ${passwordFile(folder)}: stop that one first`,
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
  /** Lets the role make databases beside its own: for tests. */
  createsDatabases: boolean;
}

/**
 * Makes sure that the server, which must not run, lets in our role with its password and nobody else. A cluster of an
 * earlier version, where whoever reached the socket was superuser, is changed: our role becomes the owner of what is there.
 * The superuser is used in single-user mode only, for this.
 *
 * @returns what went wrong, in PostgreSQL's words; undefined when all is well
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
      // The statements hold the password: none of them may be written anywhere.
      ...['log_min_messages=error', 'log_min_error_statement=panic', 'logging_collector=off'].flatMap(
        asSetting,
      ),
      ...(durable ? [] : asSetting('fsync=off')),
      DATABASE,
    ],
    account,
    statements(preparing, password),
  );
  const failure = errors.split('\n').find((line) => /ERROR:|FATAL:|PANIC:/.test(line));
  if (code !== 0 || failure) return failure ?? `PostgreSQL's single-user mode ended with ${code}`;
  // Written last: as long as it is not there, all of this is done again.
  await writeFile(`${file}.new`, access, { mode: 0o600 });
  if (account) await chown(`${file}.new`, account.uid, account.gid);
  await rename(`${file}.new`, file);
  return undefined;
}

const asSetting = (setting: string): string[] => ['-c', setting];

/** The password that is there, or a new one. Of several processes at once one writes, the others read what it wrote. */
async function ensurePassword(folder: string): Promise<string> {
  const made = randomBytes(32).toString('base64url');
  await writeFile(passwordFile(folder), `${made}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return readPassword(folder);
}

/** Who may connect. It names the password by its hash, so that with another password the role is prepared again. */
function accessRules({ createsDatabases }: Preparing, password: string): string {
  const hash = createHash('sha256').update(`${password}\n${createsDatabases}`).digest('hex');
  return `# Written by Switchyard at its start (role ${hash.slice(0, 16)}); changes are lost.
local all ${SUPERUSER} reject
local all all scram-sha-256
`;
}

/** What makes the role and gives it all that is not the server's own, a statement a line: single-user mode reads lines. */
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

/** Of what is in a schema: whether it is not the server's own. */
const IS_OURS = `nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_(toast|temp)'`;
