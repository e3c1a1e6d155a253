import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'ldapts';
import { afterAll } from 'vitest';
import { openAuthority } from '../../lab/certificates.ts';
import { freePort } from '../processes/free-port.ts';

const SLAPD = '/usr/sbin/slapd';
/** Why tests with a real directory are skipped; null: they run. */
export const slapdMissing = existsSync(SLAPD)
  ? null
  : 'slapd is not installed (Debian: apt-get install slapd)';

export const BASE = 'dc=example,dc=net';
export const ROOT = { dn: `cn=root,${BASE}`, password: 'quarry-lantern-46' };

/** The attributes with which Active Directory names the primary group of a user, as it defines them. */
const ACTIVE_DIRECTORY = [
  `attributetype ( 1.2.840.113556.1.4.98 NAME 'primaryGroupID' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )`,
  `attributetype ( 1.2.840.113556.1.4.146 NAME 'objectSid' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )`,
  `objectclass ( 1.3.6.1.4.1.4203.666.1.1 NAME 'principal' SUP top AUXILIARY MAY ( objectSid $ primaryGroupID ) )`,
];

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** An OpenLDAP directory of a test file's own, with TLS of an authority of its own. @param entries LDIF */
export async function openDirectory(entries: string) {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-slapd-'));
  const authority = openAuthority();
  const { cert, key } = authority.issue({ names: ['127.0.0.1', 'localhost'] });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  mkdirSync(join(folder, 'db'));
  const configuration = file(
    'slapd.conf',
    [
      ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
      ...ACTIVE_DIRECTORY,
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      `pidfile ${join(folder, 'slapd.pid')}`,
      `TLSCertificateFile ${file('cert.pem', cert)}`,
      `TLSCertificateKeyFile ${file('key.pem', key)}`,
      // No password is accepted without TLS.
      'security simple_bind=128',
      'database mdb',
      `suffix "${BASE}"`,
      `rootdn "${ROOT.dn}"`,
      `rootpw ${ROOT.password}`,
      `directory ${join(folder, 'db')}`,
      'maxsize 16777216',
      '',
    ].join('\n'),
  );
  execFileSync('/usr/sbin/slapadd', ['-f', configuration, '-l', file('entries.ldif', entries)]);
  const [plain, secure] = [await freePort(), await freePort()];
  const start = async () => {
    // It ends with the process of the test, also when that is killed and no hook runs.
    const child = spawn(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL', SLAPD, '-f', configuration],
        ...['-h', `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`, '-d', '0'],
      ],
      { stdio: 'ignore' },
    );
    while (!((await answers(plain)) && (await answers(secure)))) {
      if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}`);
      await sleep(20);
    }
    return child;
  };
  let child = await start();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    // It waits for operations of its clients, which a test may have left open.
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exit;
    clearTimeout(timer);
  };
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    ca: authority.ca,
    ldap: `ldap://127.0.0.1:${plain}`,
    ldaps: `ldaps://127.0.0.1:${secure}`,
    stop,
    restart: async () => {
      child = await start();
    },
    /** Changes entries as the administrator of the directory. */
    async change(work: (client: Client) => Promise<void>) {
      const client = new Client({ url: `ldaps://127.0.0.1:${secure}`, tlsOptions: { ca: authority.ca } });
      await client.bind(ROOT.dn, ROOT.password);
      await work(client);
      await client.unbind();
    },
  };
}
