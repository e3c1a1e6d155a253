import { expect, test } from 'vitest';
import { cliHost } from '../helpers/gateway.ts';
import { rejectionOf } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const admin = await service.as('admin');
const engineer = await service.as('engineering');
const host = cliHost({ name: 'edge-1' }) as never;
await admin.automationgateway.createHost({ kind: 'cli', host });
const channel = {
  name: 'Hook',
  type: 'webhook',
  url: 'https://hooks.example.net/a',
  secret: 'sixteen-characters',
};
const { data: hook } = await admin.notifications.createChannel({ channel } as never);
const selection = { names: ['edge-1'] };
const night = { cron: '30 2 * * *' };

const KINDS: [what: string, most: number, create: (name: string) => Promise<unknown>][] = [
  ['backup runs under way', 20, () => admin.configurationManager.startFleetBackup({ selection })],
  [
    'notification rules of yours',
    50,
    (name) =>
      engineer.notifications.createRule({ rule: { name, topics: ['jobErrored'], channels: [hook._id] } }),
  ],
  [
    'sign-in providers',
    50,
    (name) =>
      admin.signIn.createProvider({
        provider: {
          name,
          type: 'oidc',
          oidc: { issuer: 'https://id.example.org', clientId: 'a', clientSecret: 'b' },
        },
      }),
  ],
  [
    'secret providers',
    100,
    (name) =>
      admin.secrets.createProvider({
        provider: {
          name,
          kind: 'vault',
          url: 'https://vault.example.net',
          auth: { method: 'token', token: 'a' },
        },
      }),
  ],
  [
    'Git remotes',
    100,
    (name) =>
      admin.git.createRemote({
        remote: {
          name,
          url: 'https://git.example.net/a.git',
          branch: 'main',
          kinds: ['workflows'],
          direction: 'push',
        },
      }),
  ],
  [
    'backup schedules',
    500,
    (name) => admin.configurationManager.createBackupSchedule({ name, schedule: night, selection }),
  ],
];

test.each(KINDS)(
  'requests that arrive together leave no more %s than the %i allowed',
  async (what, most, create) => {
    const names = Array.from({ length: most + 10 }, (_, at) => `one-${at}`);
    const results = await Promise.allSettled(names.map(create));
    const rejected = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    expect(rejected).toEqual(Array(10).fill(expect.stringContaining('the most allowed')));
    expect(await rejectionOf(create('one-more'))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`There are ${most} ${what} already`),
    });
  },
);
