import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const ORIGIN = 'https://pages.example';
const service = await openService({ ALLOWED_ORIGINS: ORIGIN });
const from = (origin: string) => ({ headers: { Origin: origin } });

test('a page of a configured origin may read answers and rejections, whichever face gives them', async () => {
  const paths = ['/version', '/no/such/path', '/trpc/health.getVersion?input=%7B%7D', '/docs'];
  // It takes seconds to write.
  if (isLong) paths.push('/openapi.json');
  for (const path of paths) {
    const { headers } = await service.send('other', 'GET', path, undefined, from(ORIGIN));
    expect(headers['access-control-allow-origin'], path).toBe(ORIGIN);
    expect(headers['access-control-allow-credentials'], path).toBe('true');
    expect(headers['x-request-id'], path).toBeTruthy();
  }
});

test('a page of any other origin gets the answer without a permission to read it', async () => {
  const answer = await service.send('other', 'GET', '/version', undefined, from('https://elsewhere.example'));
  expect(answer.status).toBe(200);
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

test('a preflight request of a browser receives methods and headers, and runs no endpoint', async () => {
  const requested = { headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'PUT' } };
  const answer = await service.send(null, 'OPTIONS', '/version', undefined, requested);
  expect(answer.status).toBe(204);
  expect(answer.headers['access-control-allow-methods']).toContain('PUT');
  expect(answer.headers['access-control-allow-headers']).toContain('If-Match');
});

test('a request whose allowed origins cannot be read is answered in the error shape, with its id', async () => {
  await service.db.execute(sql`alter schema public rename to away`);
  try {
    // The origins of the active profile are remembered for a second.
    await sleep(1100);
    const answer = await service.send(null, 'GET', '/version', undefined, from(ORIGIN));
    expect(answer, answer.text).toMatchObject({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(answer.json).toMatchObject({ requestId: answer.headers['x-request-id'] });
  } finally {
    await service.db.execute(sql`alter schema away rename to public`);
  }
});
