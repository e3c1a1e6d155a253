import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { allowedHosts } from '#server/southbound/packages/allowed-hosts.ts';
import {
  attemptsOf,
  findLauncher,
  nodeArguments,
  permissionFlags,
} from '#server/southbound/packages/launch.ts';
import { restartDelay } from '#server/southbound/packages/restarts.ts';
import { makeFolder } from '../../helpers/folder.ts';

const run = promisify(execFile);

test('names the permission model as each version of Node does', () => {
  expect(permissionFlags('20.19.0', ['/p'])).toEqual(['--experimental-permission', '--allow-fs-read=/p']);
  expect(permissionFlags('22.12.0', [])).toEqual(['--experimental-permission']);
  expect(permissionFlags('22.13.0', [])).toEqual(['--permission']);
  expect(permissionFlags('24.1.0', [])).toEqual(['--permission']);
  expect(permissionFlags('26.10.0', [])).toEqual(['--permission', '--allow-net']);
});

test('node grants the folders of a package, and nothing that holds or resembles them, in any order', async () => {
  const folder = await makeFolder();
  const code = join(folder, 'code');
  const own = join(folder, 'adapters/one/1.0.0');
  const shared = join(folder, 'adapters/.runtime');
  const others = [join(folder, 'adapters/one/1.0.01'), join(folder, 'adapters/two')];
  for (const path of [code, own, shared, ...others]) await mkdir(path, { recursive: true });
  await writeFile(
    join(code, 'look.cjs'),
    `const fs = require('node:fs');
     const can = (path) => { try { fs.readdirSync(path); return true; } catch { return false; } };
     console.log(JSON.stringify(JSON.parse(process.argv[2]).filter(can)));`,
  );
  const above = ['/', '/tmp', folder, `${folder}/`, join(folder, 'adapters'), join(folder, 'adapters/one')];
  for (const reads of [
    [code, own, shared],
    [own, shared, code],
    [shared, code, own],
  ]) {
    const args = [...nodeArguments(process.versions.node, reads, join(code, 'look.cjs'))];
    const { stdout } = await run(process.execPath, [
      ...args,
      JSON.stringify([own, shared, ...others, ...above]),
    ]);
    expect(JSON.parse(stdout)).toEqual([own, shared]);
  }
});

test('tries the most restrictive launch option first, and uses none when that is set', async () => {
  const tools = { unshare: '/usr/bin/unshare', prlimit: null, setpriv: '/usr/bin/setpriv' };
  expect(attemptsOf(tools, true, 'auto')[0]).toEqual({ namespace: 'plain', nobody: true });
  expect(attemptsOf(tools, false, 'auto')).toEqual([
    { namespace: 'user', nobody: false },
    { namespace: null, nobody: false },
  ]);
  expect(attemptsOf({ ...tools, unshare: null }, false, 'on')).toEqual([{ namespace: null, nobody: false }]);
  const without = await findLauncher('off', [import.meta.filename]);
  expect(without).toMatchObject({
    isolation: { network: 'guard', reason: 'ADAPTER_NETNS is 0' },
    fault: null,
  });
});

test('allows the hosts that a connection names, and those of allowHosts', () => {
  const connection = {
    host: 'API.example.net',
    description: 'elsewhere.example.net',
    authentication: { sso: { host: 'sso.example.net' }, token_url: 'https://login.example.net:8443/token' },
    proxy: { host: '192.0.2.7', port: 3128 },
    servers: [{ hostname: 'more.example.net:443' }],
    allowHosts: ['*.cdn.example.net', '198.51.100.0/24'],
  };
  expect(allowedHosts(connection).sort()).toEqual([
    ...['*.cdn.example.net', '192.0.2.7', '198.51.100.0/24', 'api.example.net'],
    ...['login.example.net', 'more.example.net', 'sso.example.net'],
  ]);
});

test('waits 1, 2, 4, 8 s after deaths, and not at all once the fifth came within ten minutes', () => {
  const deaths: number[] = [];
  const delays = [0, 1, 2, 3].map((death) => {
    deaths.push(death);
    return restartDelay(deaths, death);
  });
  expect(delays).toEqual([1000, 2000, 4000, 8000]);
  deaths.push(4);
  expect(restartDelay(deaths, 4)).toBeNull();
  expect(restartDelay(deaths, 600_003)).toBe(0);
});
