import { mkdir, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { CheckedRoute } from './address.ts';
import type { GitTarget } from './ports.ts';

/** Settings of every call: configuration of the machine is ignored, and no programs but git and ssh run. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['protocol.https.allow', 'always'],
  ['protocol.ssh.allow', 'always'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '100'],
  ['http.proxy', ''],
  ['fetch.fsckObjects', 'true'],
  ['transfer.fsckObjects', 'true'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['push.followTags', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['uploadpack.packObjectsHook', ''],
  ['init.defaultBranch', 'main'],
];

/**
 * Writes the files of a call into its folder, and returns the environment of the program, which has PATH alone from this
 * process. Secrets are in the environment or in a file that only this account may read, never in arguments.
 *
 * @param folder of the call, which is removed after it
 * @param route the checked address of the host, or the proxy in front of it
 * @param allowed whether plain HTTP is allowed, and for how many seconds a server may send next to nothing
 * @returns variables by name
 */
export async function environmentFor(
  target: GitTarget,
  folder: string,
  route: CheckedRoute,
  { allowHttp, silentSeconds }: { allowHttp: boolean; silentSeconds: number },
): Promise<Record<string, string>> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const url = new URL(target.url);
  const settings = [...SETTINGS, ['http.lowSpeedTime', String(silentSeconds)] as const];
  if (allowHttp) settings.push(['protocol.http.allow', 'always']);
  if (url.protocol !== 'ssh:') {
    if ('proxy' in route) settings.push(['http.proxy', route.proxy.href]);
    else settings.push(['http.curloptResolve', resolutionOf(url, route.address)]);
    if (target.ca) {
      const certificates = join(home, 'ca.pem');
      await writeFile(certificates, target.ca, { mode: 0o600 });
      settings.push(['http.sslCAInfo', certificates]);
    }
    if (target.token) {
      const credential = Buffer.from(`${target.username || 'git'}:${target.token}`).toString('base64');
      settings.push(['http.extraHeader', `Authorization: Basic ${credential}`]);
    }
  }
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C',
    TZ: 'UTC',
    // Limits what a server sends before the repository: git keeps that in memory, and the size is measured on the disk.
    GIT_ALLOC_LIMIT: '512m',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_CEILING_DIRECTORIES: folder,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    ...(url.protocol === 'ssh:' &&
      'address' in route && {
        GIT_SSH_VARIANT: 'ssh',
        GIT_SSH_COMMAND: await sshCommand(target, home, url, route.address),
      }),
  };
}

/** Returns the checked address of a host as the program takes it: `host:port:address`. */
function resolutionOf(url: URL, address: string): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${url.hostname}:${port}:${isIP(address) === 6 ? `[${address}]` : address}`;
}

/** Name under which the host keys are looked up, whatever the address. */
const ALIAS = 'remote';

async function sshCommand(target: GitTarget, home: string, url: URL, address: string): Promise<string> {
  const key = join(home, 'key');
  const hosts = join(home, 'known_hosts');
  const text = target.privateKey ?? '';
  await writeFile(key, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  await writeFile(hosts, target.hostKeys.map((line) => `${ALIAS} ${line}\n`).join(''), { mode: 0o600 });
  const options = [
    `HostName=${address}`,
    `HostKeyAlias=${ALIAS}`,
    ...(url.port ? [`Port=${url.port}`] : []),
    `IdentityFile=${pathOption(key)}`,
    `UserKnownHostsFile=${pathOption(hosts)}`,
    'GlobalKnownHostsFile=/dev/null',
    'StrictHostKeyChecking=yes',
    'UpdateHostKeys=no',
    'CheckHostIP=no',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'BatchMode=yes',
    'ConnectTimeout=10',
    'ServerAliveInterval=15',
    'ServerAliveCountMax=3',
    'ForwardAgent=no',
    'ClearAllForwardings=yes',
    'PermitLocalCommand=no',
    'ProxyCommand=none',
    'ControlPath=none',
    'LogLevel=ERROR',
  ];
  // A shell reads this: paths are quoted, and all else are constants, a checked address and a number.
  return `ssh -F /dev/null ${options.map((option) => `-o ${quoted(option)}`).join(' ')}`;
}

/** Returns a path as the value of an option of ssh, which splits values at blanks and expands `%`. */
const pathOption = (path: string) => `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
