import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
import { isLong, sampled } from '../helpers/long.ts';
import { startDemo } from '../helpers/processes/demo.ts';
import { processesIn, until } from '../helpers/processes/processes.ts';
import { openAuthority } from '../lab/certificates.ts';
import { requestsTo } from '../lab/own-service.ts';
import { startProgram } from '../lab/program.ts';
import type { ProgramName } from '../lab/programs.ts';
import { DEVICE_TYPES, nameOf } from '../lab/world.ts';

const PASSWORD = 'a-password-for-demos';
const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

test.skipIf(!isLong)('the demo prints its help, and starts nothing', () => {
  const help = execFileSync(process.execPath, ['test/lab/demo.mjs', '--help'], { encoding: 'utf8' });
  expect(help).toContain('ADMIN_PASSWORD');
  expect(help).toContain('Ctrl-C ends it');
  expect(help).not.toContain('listening');
});

const lives = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.skipIf(!isLong)(
  'the demo starts a lab, each part a process of its own, and every part is reached through the service',
  async () => {
    const { child, url, lines, processes } = await startDemo(PASSWORD);
    running.add(child);
    expect(new Set(processes).size).toBe(processes.length);
    expect(processes.length).toBeGreaterThanOrEqual(DEVICE_TYPES.length + 2);
    expect(processes.every(lives)).toBe(true);
    expect(lines.join('\n')).not.toContain(PASSWORD);

    const login = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: PASSWORD }),
    });
    const token = await login.text();
    const send = async (path: string, body: unknown) => {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, json: (await answer.json()) as unknown };
    };
    for (const device_type of DEVICE_TYPES) {
      const answer = await send('/automationgateway/cli/send_command', {
        cliSendCommandParameters: {
          host: nameOf(device_type),
          commands: ['show version'],
          connection_options: { device_type },
        },
      });
      expect(answer, device_type).toMatchObject({
        status: 200,
        json: { status: 'success', result: [{ command: 'show version', status: 'success' }] },
      });
    }
    const ask = (mood: string) =>
      send('/automationgateway/cli/send_command', {
        cliSendCommandParameters: {
          host: nameOf(mood),
          commands: ['show version'],
          connection_options: { device_type: 'cisco_ios' },
        },
      });
    expect(await ask('slow')).toMatchObject({ status: 200 });
    expect(await ask('refusing')).toMatchObject({ status: 502, json: { reason: 'DEVICE_AUTH_FAILED' } });
    expect(await ask('dropping')).toMatchObject({ status: 502, json: { reason: expect.any(String) } });
    expect(
      await send('/automationgateway/gnoi/traceroute/execute', {
        host: 'lab-gnoi',
        destination: '2001:db8:9::9',
      }),
    ).toMatchObject({ status: 200, json: { result: { reached: true } } });
    for (const service of ['vpn:vpn=blue', 'acl:acl=edge-in']) {
      expect(
        await send('/orchestrator_manager/restQuery/lab-orchestrator', {
          params: { path: `/restconf/data/${service}`, accept: 'application/yang-data+json' },
        }),
      ).toMatchObject({ status: 200 });
    }
    expect(await send('/configuration_manager/devices', {})).toMatchObject({
      json: { totalByAdapter: { gateway: expect.any(Number), 'lab-orchestrator': 2 } },
    });

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(processes.filter(lives)).toEqual([]);
    await until('nothing left', () =>
      processesIn(inject('folder')).every(({ command }) => !command.includes('switchyard-demo-')),
    );
  },
);

test.skipIf(!isLong)(
  'the demo fills a service that speaks HTTPS with a certificate that nobody else trusts, and names requests that reach it',
  async () => {
    const folder = join(inject('folder'), `demo-tls-${process.pid}`);
    await mkdir(folder);
    const { cert, key } = openAuthority().issue({ names: ['demo.example.net'] });
    const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
    await writeFile(files.TLS_CERT, cert);
    await writeFile(files.TLS_KEY, key);
    const { child, url, lines } = await startDemo(PASSWORD, files);
    running.add(child);
    expect(url).toMatch(/^https:/);
    expect(lines.filter((line) => line.includes('curl') && !line.includes(`curl -sk ${url}/`))).toEqual([]);

    const send = requestsTo(url, cert);
    const { text: token } = await send('POST', '/login', { username: 'admin', password: PASSWORD });
    const Authorization = `Bearer ${token}`;
    const { text } = await send('POST', '/configuration_manager/devices', {}, { Authorization });
    expect(text).toContain(nameOf('cisco_ios'));
    const other = openAuthority().issue({ names: ['demo.example.net'] });
    await expect(requestsTo(url, other.cert)('GET', '/health/ready')).rejects.toThrow(
      /another server answers/,
    );

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test.each(sampled(['gnoi', 'orchestrator', 'cmdb', 'tickets', 'devices', 'moody'] as const, 2))(
  'a program of the lab ends when its parent process ends: %s',
  async (name) => {
    const given: Partial<Record<ProgramName, string>> = { devices: 'linux', moody: 'slow' };
    const { child, reported } = await startProgram(name, ...(given[name] ? [given[name]] : []));
    running.add(child);
    expect(reported.port).toBeGreaterThan(0);
    // What the end of its parent does to it, however that ended.
    child.stdin?.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test('the ticket system of the lab opens one ticket for a repeated request, and rejects changes of a closed one', async () => {
  const { child, reported } = await startProgram('tickets');
  running.add(child);
  const send = async (method: string, path: string, body: unknown, key = '') => {
    const answer = await fetch(`http://127.0.0.1:${reported.port}/api/table/change_request${path}`, {
      method,
      headers: {
        Authorization: `Basic ${btoa(`${reported.username}:${reported.password}`)}`,
        'Idempotency-Key': key,
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: (await answer.json()) as { result: { sys_id: string } } };
  };
  const ticket = { short_description: 'Change a port' };
  const first = await send('POST', '', ticket, 'job/a3/1');
  expect(first).toMatchObject({ status: 201, json: { result: { number: 'CHG0030001', state: 'open' } } });
  expect(await send('POST', '', ticket, 'job/a3/1')).toEqual({ status: 200, json: first.json });
  expect(await send('POST', '', ticket, 'job/a3/2')).toMatchObject({
    json: { result: { number: 'CHG0030002' } },
  });
  const path = `/${first.json.result.sys_id}`;
  expect(await send('PATCH', path, { state: 'closed' })).toMatchObject({ status: 400 });
  expect(await send('PATCH', path, { state: 'closed', close_notes: 'Done' })).toMatchObject({ status: 200 });
  expect(await send('PATCH', path, { work_notes: 'One more' })).toMatchObject({ status: 403 });
});
