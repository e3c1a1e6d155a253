import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '#server/app/start.ts';
import { ConfigError, readConfig } from '#server/kernel/config.ts';
import { openLog } from '#server/kernel/observability/log.ts';
import { requestsTo } from './own-service.ts';
import { type Program, startProgram } from './program.ts';
import type { ProgramName } from './programs.ts';
import { type Lab, seedWorld } from './seed.ts';
import { DEVICE_TYPES, FAULTY, nameOf, SECOND_ACCOUNT } from './world.ts';

/*
 * `npm run demo`: the service with an invented world, and a lab of simulated devices, a gNOI target, an orchestrator, a CMDB and
 * a ticket system, each a process of its own. Everything lies in a folder that goes when the demo ends; no database of yours is touched.
 */

const HELP = `npm run demo [-- --help]

Starts a service with a database of its own and a lab beside it: simulated devices of ten kinds with configurations that
can be read and changed over SSH, four devices that misbehave, a gNOI target, a service orchestrator, a CMDB and a ticket
system, each in a process of its own on a free port of 127.0.0.1. It puts the devices in the inventory, backs them up, connects
the other systems, and adds golden configurations, a compliance plan and workflows. Then it prints how to reach each part and some requests to try.

ADMIN_PASSWORD   password of the account admin; absent: a random one, which is printed
HOST, PORT       where the service listens; absent: 127.0.0.1 and 3000; PORT=0 takes a free port
LOG_LEVEL        absent: warn
TLS_CERT, TLS_KEY speaks HTTPS with this certificate, which may be a self-signed one
All other variables of npm start count as well, but for DATABASE_URL and DATA_DIR: the demo uses a temporary folder.

Ctrl-C ends it. All that it made is deleted then.
`;

const tell = (line = '') => process.stdout.write(`${line}\n`);

/** What was started, to be ended in reverse. */
const closers: (() => Promise<unknown>)[] = [];
let stopping: Promise<void> | undefined;

async function stopAll(): Promise<void> {
  // What starts meanwhile adds itself; it is waited for, so that nothing stays behind.
  await starting.catch(() => undefined);
  for (const close of closers.splice(0).reverse()) {
    await close().catch((error: unknown) => process.stderr.write(`demo: ${String(error)}\n`));
  }
}

const shutDown = () => {
  stopping ??= stopAll().then(() => process.exit(process.exitCode ?? 0));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, shutDown);
// npm passes no signal on when it is killed.
const parent = process.ppid;
if (process.env.npm_lifecycle_event === 'demo') {
  setInterval(() => process.ppid === parent || shutDown(), 1000).unref();
}
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => {
  if (name !== 'DeprecationWarning') process.stderr.write(`demo: ${message}\n`);
});

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-demo-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const adminPassword = process.env.ADMIN_PASSWORD || randomBytes(15).toString('base64url');
  const { DATABASE_URL: _, ...env } = process.env;
  const config = readConfig({
    LOG_LEVEL: 'warn',
    ...env,
    DATA_DIR: folder,
    ADMIN_PASSWORD: adminPassword,
    ALLOW_PRIVATE_TARGETS: '1',
  });
  const [service, lab] = await Promise.all([
    startService(config, openLog(config.logLevel), tell).then((running) => {
      closers.push(running.stop);
      return running;
    }),
    startLab(),
  ]);
  if (stopping) return;
  const certificate = config.tls && (await readFile(config.tls.cert, 'utf8'));
  await seedWorld(requestsTo(service.url, certificate), adminPassword, lab);
  introduce(service.url, process.env.ADMIN_PASSWORD ? null : adminPassword, folder, lab);
}

async function startLab(): Promise<Lab> {
  const open = async (name: ProgramName, ...args: string[]): Promise<Program> => {
    const program = await startProgram(name, ...args);
    closers.push(program.stop);
    return program;
  };
  const devices = new Map<string, Program>();
  const moody = new Map<string, Program>();
  const [gnoi, orchestrator, cmdb, tickets] = await Promise.all([
    open('gnoi'),
    open('orchestrator'),
    open('cmdb'),
    open('tickets'),
    ...DEVICE_TYPES.map(async (type) => {
      devices.set(type, await open('devices', type));
    }),
    ...FAULTY.map(async (mood) => {
      moody.set(mood, await open('moody', mood));
    }),
  ]);
  return {
    devices: inOrder(DEVICE_TYPES, devices),
    moody: inOrder(FAULTY, moody),
    gnoi,
    orchestrator,
    cmdb,
    tickets,
  };
}

/** Returns the programs in the order of the names: they became ready in any order. */
const inOrder = (names: readonly string[], programs: ReadonlyMap<string, Program>) =>
  new Map(
    names.flatMap((name) => {
      const program = programs.get(name);
      return program ? [[name, program] as const] : [];
    }),
  );

/** @param password null: whoever started us knows it */
function introduce(
  url: string,
  password: string | null,
  folder: string,
  { devices, moody, gnoi, orchestrator, cmdb, tickets }: Lab,
) {
  const [first] = devices.values();
  tell();
  tell(
    `sign in as admin with the password ${password ?? 'in ADMIN_PASSWORD'}; the console: ${url}/console; every endpoint: ${url}/docs`,
  );
  tell(
    `a second administrator, to approve what the first proposes: ${SECOND_ACCOUNT.username}, ${SECOND_ACCOUNT.password}`,
  );
  tell(`data folder: ${folder} (DATA_DIR for npm run adapter)`);
  tell();
  tell(`devices, over SSH as ${first?.reported.username} with the password ${first?.reported.password}:`);
  for (const [name, { reported, child }] of [...devices, ...moody]) {
    tell(
      `  ${nameOf(name).padEnd(24)} ssh -p ${reported.port} ${reported.username}@127.0.0.1   (process ${child.pid})`,
    );
  }
  tell(`gNOI target lab-gnoi: 127.0.0.1:${gnoi.reported.port}, without TLS   (process ${gnoi.child.pid})`);
  tell(
    `orchestrator lab-orchestrator: http://127.0.0.1:${orchestrator.reported.port}/restconf   (process ${orchestrator.child.pid})`,
  );
  tell(`integration cmdb: http://127.0.0.1:${cmdb.reported.port}/api   (process ${cmdb.child.pid})`);
  tell(
    `integration tickets: http://127.0.0.1:${tickets.reported.port}/api/table   (process ${tickets.child.pid})`,
  );
  const login = `{"username":"admin","password":"${password ?? '…'}"}`;
  // The certificate of the service is the user's own, and need not name this address.
  const curl = url.startsWith('https:') ? 'curl -sk' : 'curl -s';
  const call = (path: string, body: string) =>
    `${curl} ${url}${path} -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${body}'`;
  tell();
  tell('some requests to try:');
  tell(`  TOKEN=$(${curl} ${url}/login -H 'Content-Type: application/json' -d '${login}')`);
  for (const line of [
    call(
      '/automationgateway/cli/send_command',
      '{"cliSendCommandParameters":{"host":"lab-cisco-ios","commands":["show version"],"connection_options":{"device_type":"cisco_ios"}}}',
    ),
    call('/automationgateway/gnoi/traceroute/execute', '{"host":"lab-gnoi","destination":"198.51.100.9"}'),
    call(
      '/orchestrator_manager/restQuery/lab-orchestrator',
      '{"params":{"path":"/restconf/data/vpn:vpn","accept":"application/yang-data+json"}}',
    ),
    call(
      '/orchestrator_manager/validateCommit',
      '{"servicePath":"/vpn:vpn","serviceData":{"vpn:vpn":[{"name":"blue","vlan":5000}]}}',
    ),
    call('/cmdb/dcim_devices_list', '{"site":"quay"}'),
    call('/configuration_manager/devices', '{"options":{"filter":{"name":"lab"}}}'),
    `${curl} ${url}/automationgateway/history -H "Authorization: Bearer $TOKEN"`,
  ]) {
    tell(`  ${line}`);
  }
  tell();
  tell('the demo is ready; Ctrl-C ends it, and all that it made is gone then');
}

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const starting = start();
starting.catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 78 : 1;
  shutDown();
});
