import { once } from 'node:events';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { databaseUrlOf } from '../../helpers/postgres.ts';
import { openLaunching } from '../../helpers/processes/launched-service.ts';
import { until } from '../../helpers/processes/processes.ts';

const fleet = await openFleet();
const { done, run, send, tree } = fleet;
const device = liveDevices(async (method, path, body) => {
  const answer = await fleet.service('admin', method, path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}, fleet.platform.cli);
const { launch } = openLaunching();

const HANGS_MS = 600_000;

/** A device against a rule that it misses, and an approved proposal that corrects it. */
async function approved() {
  const live = await device(['hostname edge-r1']);
  const { at, place } = await tree('hostname edge-r1\n<e/>ntp server 192.0.2.9\n');
  await place('base', [live.name]);
  await done('POST', '/devices/backups', { name: live.name });
  const [report] = await run(at('base'));
  const reportIds = [report?.id];
  const { data } = await done<{ data: Remediation[] }>(
    'POST',
    '/remediations',
    { options: { reportIds } },
    { as: 'apiwrite' },
  );
  const [proposal] = data;
  if (!proposal) throw new Error('nothing was proposed');
  const { id, configSha256 } = proposal;
  await done('POST', `/remediations/${id}/approve`, { configSha256 }, { as: 'engineering' });
  const body = { configSha256 };
  const path = `/remediations/${id}/apply`;
  return { ...live, id, path, body, read: () => done<Remediation>('GET', `/remediations/${id}`) };
}

test.each([
  ['before the device has answered the line', 'ntp server 192.0.2.9'],
  ['after the device has accepted all lines, before the outcome is recorded', 'end'],
])(
  'a proposal whose process is killed %s has an unknown outcome, names the backup from before, and is never sent again',
  async (_, last) => {
    const { id, name, path, body, read, simulated, config } = await approved();
    const service = await launch({
      env: { DATABASE_URL: await databaseUrlOf(fleet.connection), SECRET_KEY: fleet.key.toString('base64') },
    });
    // From this command on, the device answers nothing more.
    const hasHeard = () => simulated.heard.includes(last);
    simulated.mood = {
      config,
      get delayMs() {
        return hasHeard() ? HANGS_MS : 0;
      },
    };
    const { token } = await fleet.callerWith('admin');
    const applying = fetch(`${service.url}/configuration_manager${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }).catch((error: unknown) => error);
    await until('the device has heard it', () => hasHeard() || undefined, 60);
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
    expect(await applying).toBeInstanceOf(TypeError);
    expect(await read()).toMatchObject({ status: 'applying', result: { backupId: expect.any(String) } });
    simulated.mood = { config };
    const heard = () => simulated.heard.filter((command) => command === 'configure terminal').length;
    const before = heard();
    expect((await send('POST', path, body)).status).toBe(409);

    const long = new Date(Date.now() - 21 * 60_000).toISOString();
    await fleet.db
      .update(remediations)
      .set({ doc: sql`jsonb_set(doc, '{lastUpdated}', to_jsonb(${long}::text))` })
      .where(eq(remediations.id, id));
    const after = await read();
    expect(after).toMatchObject({
      status: 'failed',
      result: { message: expect.stringContaining('interrupted, outcome unknown') },
    });
    const { backupId } = after.result as { backupId: string };
    const backup = await done<{ name: string; rawConfig: string }>('GET', `/backups/${backupId}`);
    expect(backup).toMatchObject({ name, rawConfig: expect.not.stringContaining('ntp server') });
    expect((await send('POST', path, body)).status).toBe(409);
    expect(heard()).toBe(before);
    // Another process knows nothing of the lost one: the device can be read and changed.
    await done('POST', '/devices/backups', { name });
  },
  240_000,
);
