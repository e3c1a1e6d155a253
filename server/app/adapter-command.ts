import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '#db/client.ts';
import {
  addCatalogue,
  addPackage,
  type CheckedPackage,
  checkPackage,
  deletePackage,
  listPackages,
} from '#server/domains/integrations/index.ts';
import { type Config, readConfig } from '#server/kernel/config.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { ownField } from '#server/kernel/json/objects.ts';
import { openLog } from '#server/kernel/observability/log.ts';
import { prepareDatabase } from './bootstrap.ts';

const HELP = `npm run adapter -- COMMAND

  add SOURCE       adds a package, or another version of it: copies its files to ADAPTERS_DIR and stores what it says of
                   itself. The first package that needs them also has the modules fetched that packages share, by npm.
  check SOURCE     says what a package is, without adding or loading it
  list             lists the packages, and whether their files are here
  catalogue FILE   stores the tasks in a pronghorn.json, of a type without a package: workflows can use them
  remove TYPE      removes a package that no adapter uses

SOURCE is a folder, a .tgz file, or name@version, which npm fetches. No script of a package is run. Reads ADAPTERS_DIR
(DATA_DIR/adapters unless set), and DATABASE_URL, else the embedded database in DATA_DIR. Every host that calls a package
needs its files: share ADAPTERS_DIR, or add the package on each.

Exit status: 0 done, 1 failed (nothing has changed), 64 wrong arguments, 78 wrong configuration.
`;

/** The exit status EX_USAGE of sysexits.h. */
const EX_USAGE = 64;

type Print = (line: string) => void;

/** The commands, with whether they have an argument. */
const COMMANDS: Readonly<Record<string, boolean>> = {
  add: true,
  catalogue: true,
  check: true,
  list: false,
  remove: true,
};

/**
 * Runs `npm run adapter`.
 *
 * @param given the arguments after the command
 * @returns the exit status
 * @throws Error with a one-line message for the operator
 */
export async function runAdapterCommand(given: readonly string[], print: Print): Promise<number> {
  if (given.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const [command = '', subject, ...more] = given;
  const hasSubject = ownField(COMMANDS, command);
  if (hasSubject === undefined || (subject !== undefined) !== hasSubject || more.length > 0) {
    process.stderr.write(HELP);
    return EX_USAGE;
  }
  const config = readConfig(process.env);
  const { directory } = config.adapters;
  if (command === 'check') {
    describe(await checkPackage(subject ?? '', directory), print);
    return 0;
  }
  await withDatabase(config, openLog(config.logLevel), async (db) => {
    if (command === 'list') return list(db, directory, print);
    if (command === 'catalogue') {
      const { type, taskCount } = await addCatalogue(db, await readJson(subject ?? ''), new Date());
      return print(`stored the catalogue of ${type} with ${taskCount} tasks`);
    }
    if (command === 'remove') {
      const version = await deletePackage(db, directory, subject ?? '');
      return print(`removed ${subject} ${version}`);
    }
    const added = await addPackage(db, directory, subject ?? '', new Date());
    describe(added, print);
    return print(`added ${added.type} ${added.version} to ${resolve(directory, added.type, added.version)}`);
  });
  return 0;
}

/** @throws Error with a message for the operator */
async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} cannot be read`);
  });
  const value = jsonOr(text, undefined);
  if (value === undefined) throw new Error(`${file} is not JSON`);
  return value;
}

async function withDatabase(
  config: Config,
  log: Logger,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const { connection } = await prepareDatabase(config, log, closers);
    const { db, close } = openDatabase({ connection, max: 2 });
    closers.push(close);
    await work(db);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function list(db: Database, directory: string, print: Print): Promise<void> {
  const found = await listPackages(db, directory);
  if (found.length === 0) print('no packages: npm run adapter -- add SOURCE');
  for (const { type, version, package: id, taskCount, state } of found)
    print(`${type} ${version}  ${id}  ${taskCount} tasks  ${state}`);
}

const STATES = { read: 'read', keyed: 'repeatable', unsafe: 'not repeatable' } as const;

function describe(found: CheckedPackage, print: Print): void {
  const { type, version, id, license, entry, tasks, secrets, brokers, missing, warnings, digest } = found;
  print(`${id} ${version}, license ${license}`);
  print(`type ${type}, class in ${entry}, SHA-256 ${digest}`);
  const counts = Object.entries(STATES).map(
    ([effect, word]) => `${tasks.filter((task) => task.effect === effect).length} ${word}`,
  );
  print(
    `${tasks.length} tasks (${counts.join(', ')}), ${tasks.filter(({ hasMock }) => hasMock).length} with mock data`,
  );
  if (brokers.length > 0) print(`methods for devices: ${brokers.join(', ')}`);
  if (secrets.length > 0) print(`secrets: ${secrets.map((path) => path.join('.')).join(', ')}`);
  for (const warning of warnings) print(`warning: ${warning}`);
  if (missing.length > 0) print(`warning: modules that are not here: ${missing.join(', ')}`);
}
