import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { openWebService } from '../../../helpers/devices/web-service.ts';
import {
  documentOf,
  integrationOf,
  serverAt,
  storeModel,
} from '../../../helpers/integrations/integrations.ts';
import { openProcesses } from '../../../helpers/processes/started.ts';
import { openService } from '../../../helpers/service.ts';

const service = await openService();
const processes = openProcesses('calls-process');
afterAll(processes.end);

let held = 0;
let most = 0;
let tokens = 0;
const arrived: number[] = [];
const web = await openWebService(({ url }, response) => {
  if (url === '/token') {
    tokens += 1;
    const token = { access_token: `t${tokens}`, token_type: 'bearer', expires_in: 3600 };
    return void setTimeout(
      () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(token)),
      200,
    );
  }
  arrived.push(performance.now());
  held += 1;
  most = Math.max(most, held);
  setTimeout(() => {
    held -= 1;
    response.end();
  }, 40);
});
await storeModel(
  service,
  documentOf(
    'Shared',
    {
      '/plain': { get: { operationId: 'plain' } },
      '/signed': { get: { operationId: 'signed', security: [{ machine: [] }] } },
    },
    {
      components: {
        securitySchemes: {
          machine: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: `${web.url}/token`, scopes: {} } },
          },
        },
      },
    },
  ),
);

/** Calls an operation in three processes at once, ten times in each. */
async function inThree(operation: string, connection: object): Promise<unknown[]> {
  const body = integrationOf(operation, 'Shared:1', { ...serverAt(web.port), ...connection });
  const answer = await service.send('admin', 'POST', '/integrations', body);
  expect(answer.status, answer.text).toBe(200);
  const given = [
    JSON.stringify(service.connection),
    service.key.toString('hex'),
    operation,
    'Shared:1',
    operation,
  ];
  const children = await processes.running(3, ...given, '10');
  const outputs = children.map((child) => (child.stdout ? text(child.stdout) : ''));
  for (const child of children) child.kill('SIGUSR2');
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
  return (await Promise.all(outputs)).flatMap((output) => JSON.parse(output || '[]') as unknown[]);
}

test('three processes together keep to the rate and to the number of requests of an integration', async () => {
  const statuses = await inThree('plain', { maxConcurrent: 2, rateLimit: { requests: 10, perSeconds: 1 } });
  expect(statuses).toEqual(Array(30).fill(200));
  expect(most).toBeLessThanOrEqual(2);
  arrived.sort((a, b) => a - b);
  // No eleven requests within one second; a loaded machine delays one request more than another.
  for (let at = 10; at < arrived.length; at += 1)
    expect((arrived[at] ?? 0) - (arrived[at - 10] ?? 0)).toBeGreaterThan(850);
});

test('three processes request one token', async () => {
  const credential = { client_id: 'c', client_secret: 'Client-Secret-4' };
  const statuses = await inThree('signed', { authentication: { machine: credential }, maxConcurrent: 30 });
  expect(statuses).toEqual(Array(30).fill(200));
  expect(tokens).toBe(1);
});
