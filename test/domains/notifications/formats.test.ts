import { expect, test } from 'vitest';
import { askedDelayS } from '#server/domains/notifications/deliveries/backoff.ts';
import {
  mailOf,
  pagerDutyBody,
  slackBody,
  teamsBody,
} from '#server/domains/notifications/deliveries/formats.ts';
import type { Notification } from '#server/domains/notifications/deliveries/message.ts';

/** A digest of 100 events and 50 more, each about a device with this name and with more in its payload. */
const digestOf = (name: string, more = ''): Notification => ({
  id: '65f0c1d2e3a4b5c6d7e8f901',
  rule: { id: '65f0c1d2e3a4b5c6d7e8f902', name: name.slice(0, 200) },
  events: Array.from({ length: 100 }, (_, at) => ({
    id: String(at),
    source: '@vendor/adapters',
    topic: 'adapterDown',
    time: '2026-11-24T19:02:11.120Z',
    severity: 'error' as const,
    payload: { name, more },
  })),
  omitted: 50,
});
const alone = ({ events, ...rest }: Notification): Notification => ({
  ...rest,
  events: events.slice(0, 1),
  omitted: 0,
});

/** Names that need more room in JSON, as UTF-8, or with the escapes of Slack than they have characters. */
const NAMES = [
  'r1',
  '"'.repeat(600),
  '\u0001'.repeat(600),
  '漢'.repeat(600),
  '<&>'.repeat(200),
  '🚀'.repeat(300),
];

test.each(NAMES)(
  'a digest about %s has blocks that Slack accepts, and says how many events are left out',
  (name) => {
    for (const notification of [digestOf(name), alone(digestOf(name))]) {
      const { blocks } = JSON.parse(slackBody(notification)) as {
        blocks: [{ text: { type: string; text: string } }, { text: { type: string; text: string } }];
      };
      const [header, section] = blocks;
      expect(header.text.text.length).toBeLessThanOrEqual(150);
      expect(section.text.text.length).toBeLessThanOrEqual(3000);
      expect(blocks.map(({ text }) => text.type)).toEqual(['plain_text', 'plain_text']);
      const lines = section.text.text.split('\n');
      if (notification.omitted > 0) expect(lines.at(-1)).toBe(`and ${150 - (lines.length - 1)} more`);
      expect(lines[0]).toContain('adapterDown');
    }
  },
);

test.each(NAMES)('a digest about %s is a card that Teams accepts', (name) => {
  for (const notification of [digestOf(name), alone(digestOf(name))]) {
    const body = teamsBody(notification);
    expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    const count = body.split('RichTextBlock').length - 1;
    if (notification.omitted > 0) expect(body).toContain(`and ${150 - (count - 2)} more`);
  }
});

test.each([
  [
    'backupRunFinished',
    { runId: 'r1', status: 'complete', total: 60, stored: 57, unchanged: 0, failed: 3, waiting: 0 },
    'r1: complete, total 60, stored 57, failed 3',
  ],
  [
    'campaignFinished',
    {
      name: 'Time',
      status: 'stopped',
      wave: 2,
      reason: '1 device failed',
      devices: { applied: 4, failed: 1 },
    },
    'Time: stopped, wave 2, applied 4, failed 1: 1 device failed',
  ],
  ['gitRunFinished', { remote: 'Lab', status: 'error', message: 'TLS failed' }, 'Lab: error: TLS failed'],
  [
    'gitRunFinished',
    { remote: 'Lab', status: 'complete', conflicts: 2, issues: 0 },
    'Lab: complete, conflicts 2',
  ],
  ['inventoryRunFinished', { source: 'NetBox', status: 'complete', new: 7 }, 'NetBox: complete, new 7'],
  [
    'complianceBatchFinished',
    { batchId: 'b1', reports: 9, totals: { errors: 2 } },
    'b1: reports 9, errors 2',
  ],
])('the subject of a mail about %s says how the run ended', (topic, payload, said) => {
  const [event] = digestOf('r1').events;
  if (!event) throw new Error('no event');
  const { subject } = mailOf({ ...alone(digestOf('r1')), events: [{ ...event, topic, payload }] });
  expect(subject).toBe(`[Switchyard] ${topic}: ${said}`);
});

test('a mail about a job leads to its page, where browsers reach the platform at a known address', () => {
  const [event] = digestOf('r1').events;
  if (!event) throw new Error('no event');
  const payload = { _id: '65f0c1d2', name: 'Nightly', message: 'r1: the device rejects the credential' };
  const failed = { ...event, topic: 'jobErrored', payload };
  const task = { ...event, topic: 'taskErrored', payload: { _id: 'a', jobId: '65f0c1d2', job: 'Nightly' } };
  const notification = { ...alone(digestOf('r1')), events: [failed, task, event] };
  const { text } = mailOf(notification, 'https://nms.example.net');
  expect(text.match(/^Open: .*$/gm)).toEqual(['Open: https://nms.example.net/console/jobs/65f0c1d2']);
  expect(text).toContain('jobErrored: Nightly: r1: the device rejects the credential');
  expect(mailOf(notification).text).not.toContain('Open:');
});

test('control characters and marks that turn the text after them are shown as replaced in every format', () => {
  const one = alone(digestOf('r1\u001b]0;x\u0007\u0085\u202egnp.exe'));
  const { subject, text } = mailOf(one);
  const { payload } = JSON.parse(pagerDutyBody(one, 'r')) as { payload: { summary: string } };
  for (const shown of [subject, text.split('\n')[0], slackBody(one), teamsBody(one), payload.summary]) {
    expect(shown).toContain('adapterDown: r1\ufffd]0;x\ufffd\ufffd\ufffdgnp.exe');
  }
});

test('marks in the name of a rule do not turn the text after them', () => {
  const rule = { id: '65f0c1d2e3a4b5c6d7e8f902', name: 'Night\u202egnp.exe' };
  const digest = { ...digestOf('r1'), rule };
  const { subject, text } = mailOf(digest);
  const { payload } = JSON.parse(pagerDutyBody(digest, 'r')) as { payload: { summary: string } };
  for (const shown of [subject, text, slackBody(digest), teamsBody(digest), payload.summary]) {
    expect(shown).toContain('Night\ufffdgnp.exe');
    expect(shown).not.toContain('\u202e');
  }
});

test.each([
  '<!channel> <!here> <@U012AB3CD>',
  '@everyone @channel',
  '<https://evil.example|sign in>',
  '*b* _i_ `c`',
])('Slack gets %s as plain text, and escaped where a text may be formatted', (name) => {
  const body = JSON.parse(slackBody(alone(digestOf(name)))) as { text: string; blocks: object[] };
  expect(body.text).not.toMatch(/[<>]/);
  expect(JSON.stringify(body)).not.toContain('mrkdwn');
  expect(JSON.stringify(body.blocks)).toContain(JSON.stringify(name).slice(1, -1));
});

test('a payload of 100 kB needs no more room than a short one where only a line of it is shown', () => {
  const long = alone(digestOf('r1'.repeat(50_000), 'x'.repeat(100_000)));
  expect(slackBody(long).length).toBeLessThan(4000);
  expect(teamsBody(long).length).toBeLessThan(2000);
  expect(mailOf(long).text.length).toBeLessThan(1000);
});

test('adapters whose long names differ only at their end have incidents of their own at PagerDuty', () => {
  const keyOf = (name: string, topic: string) => {
    const [event] = digestOf(name).events;
    if (!event) throw new Error('no event');
    const one = { ...alone(digestOf(name)), events: [{ ...event, topic, payload: { name } }] };
    return (JSON.parse(pagerDutyBody(one, 'r')) as { dedup_key: string }).dedup_key;
  };
  const long = 'r'.repeat(300);
  expect(keyOf(`${long}1`, 'adapterDown')).not.toBe(keyOf(`${long}2`, 'adapterDown'));
  expect(keyOf(`${long}1`, 'adapterUp')).toBe(keyOf(`${long}1`, 'adapterDown'));
  for (const name of [`${long}1`, '漢'.repeat(300), '😀'.repeat(200)])
    expect(keyOf(name, 'adapterDown').length).toBeLessThanOrEqual(255);
});

test('an event of PagerDuty has at most 512 KB, and counts what it leaves out', () => {
  const detailsOf = (notification: Notification) => {
    const body = pagerDutyBody(notification, 'r'.repeat(32));
    expect(Buffer.byteLength(body)).toBeLessThan(512_000);
    const { payload } = JSON.parse(body) as {
      payload: { custom_details: { events: unknown[]; omitted: number } };
    };
    return payload.custom_details;
  };
  const { events, omitted } = detailsOf(digestOf('r1', '漢'.repeat(5000)));
  expect(events.length).toBeGreaterThan(25);
  expect(events.length + omitted).toBe(150);
  expect(detailsOf(alone(digestOf('r1', 'x'.repeat(600_000))))).toMatchObject({ events: [], omitted: 1 });
  expect(detailsOf(digestOf('r1'))).toMatchObject({ omitted: 50 });
});

test.each([
  [429, '7', 7],
  [503, ' 120 ', 120],
  [429, 'Tue, 24 Nov 2026 19:02:11 GMT', 11],
  [429, 'Tuesday, 24-Nov-26 19:02:11 GMT', 11],
  [429, 'Tue Nov 24 19:02:11 2026', 11],
  [429, 'Tue, 24 Nov 2099 19:02:11 GMT', 3600],
  [429, '86400', 3600],
  [503, '99999999999999999999', 3600],
  [429, 'Tue, 24 Nov 2026 19:01:00 GMT', 0],
  [429, '-5', 0],
  [429, '-2090', 0],
  [429, '3600.5', 0],
  [429, 'in 2090', 0],
  [429, 'Tue, 99 Nov 2026', 0],
  [429, 'soon', 0],
  [429, undefined, 0],
  [500, '7', 0],
])('an answer %s with Retry-After %s asks for a pause of %s seconds', (status, value, seconds) => {
  expect(askedDelayS(status, { 'retry-after': value }, Date.parse('2026-11-24T19:02:00Z'))).toBe(seconds);
});
