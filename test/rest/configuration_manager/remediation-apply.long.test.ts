import { expect, test } from 'vitest';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { isLong } from '../../helpers/long.ts';

const fleet = await openFleet();
const { done, run, send, tree } = fleet;
const device = liveDevices(async (method, path, body) => {
  const answer = await fleet.service('admin', method, path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}, fleet.platform.cli);

const RULES = 'hostname edge-r1\n<e/>ntp server 192.0.2.9\n{d/}ip http server\n';

/** A device against rules that it misses, and an approved proposal that corrects it. */
async function approved(rules = RULES) {
  const live = await device(['hostname edge-r1', 'ip http server']);
  const { at, place } = await tree(rules);
  await place('base', [live.name]);
  await done('POST', '/devices/backups', { name: live.name });
  const [report] = await run(at('base'));
  const { data } = await done<{ data: Remediation[] }>(
    'POST',
    '/remediations',
    { options: { reportIds: [report?.id], removeDisallowed: true } },
    { as: 'apiwrite' },
  );
  const [proposal] = data;
  if (!proposal) throw new Error('nothing was proposed');
  const { id, configSha256 } = proposal;
  await done('POST', `/remediations/${id}/approve`, { configSha256 }, { as: 'engineering' });
  return {
    ...live,
    proposal,
    apply: () => send('POST', `/remediations/${id}/apply`, { configSha256 }),
    read: () => done<Remediation>('GET', `/remediations/${id}`),
  };
}

test('an approved text is pushed, the device is read again, and the result is as predicted', async () => {
  const { apply, read, config, proposal } = await approved();
  const { status, json, text } = await apply();
  expect(status, text).toBe(200);
  expect(config.running).toEqual(['hostname edge-r1', 'ntp server 192.0.2.9']);
  const { jobId } = json as { jobId: string };
  const after = await read();
  expect(after).toMatchObject({
    status: 'applied',
    rollback: proposal.rollback,
    result: {
      verified: true,
      batchId: jobId,
      totals: { errors: 0, warnings: 0 },
      backupId: expect.any(String),
      afterBackupId: expect.any(String),
      lines: [{ status: 'SUCCESS' }, { status: 'SUCCESS' }],
    },
  });
  const { reportId } = after.result as { reportId: string };
  expect(await done('GET', `/compliance_reports/details/${reportId}`)).toMatchObject({ issues: [] });
  expect((await apply()).status).toBe(409);
});

test('a device whose configuration has changed since the approval is not changed', async () => {
  const { apply, read, config, simulated, proposal } = await approved();
  const preview = () => done('GET', `/remediations/${proposal.id}/preview`);
  expect(await preview()).toMatchObject({ stale: false, comparedWith: 'device' });
  config.running.push('mtu 9000');
  // no backup has it yet: the preview has read the device
  expect(await preview()).toMatchObject({ stale: true, comparedWith: 'device' });
  expect((await read()).status).toBe('approved');
  const { status, text } = await apply();
  expect([status, text]).toEqual([409, expect.stringContaining('is not the one for which remediation')]);
  expect(simulated.heard).not.toContain('configure terminal');
  expect((await read()).status).toBe('stale');
});

test.skipIf(!isLong)(
  'a device that rejects a line, or drops, makes the proposal fail, and nothing is rolled back',
  async () => {
    for (const [line, reason] of [
      ['refused line', 'LINE_REFUSED'],
      ['drop', 'SESSION_LOST'],
    ]) {
      const { apply, read } = await approved(`hostname edge-r1\n${line}\nntp server 192.0.2.9\n`);
      expect(await apply()).toMatchObject({ status: 502, json: { reason, data: expect.any(Array) } });
      const { status, result, rollback } = await read();
      expect(status).toBe('failed');
      expect(rollback).not.toBe('');
      expect((result as { lines: { status: string }[] }).lines.map((one) => one.status)).toContain(
        reason === 'LINE_REFUSED' ? 'FAILED' : 'INCOMPLETE',
      );
    }
  },
);

test.skipIf(!isLong)('of two concurrent applications, one succeeds', async () => {
  const { apply } = await approved();
  const answers = await Promise.all([apply(), apply()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
