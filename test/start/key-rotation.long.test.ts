import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { databaseUrlOf, openTestDatabase } from '../helpers/postgres.ts';
import { openLaunching, tokenOf } from '../helpers/processes/launched-service.ts';
import { until } from '../helpers/processes/processes.ts';

const { connection } = await openTestDatabase();
const DATABASE_URL = await databaseUrlOf(connection);
const { launch } = openLaunching();
type Launched = Awaited<ReturnType<typeof launch>>;

test('SECRET_KEY is replaced while two processes serve: no request fails, and nothing needs the previous key afterwards', async () => {
  const [old, fresh] = [1, 2].map(() => randomBytes(32).toString('base64')) as [string, string];
  const start = (env: Record<string, string>) => launch({ env: { ...env, DATABASE_URL } });
  const first = await start({ SECRET_KEY: old });
  const token = await tokenOf(first.url);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const call = async ({ url }: Launched, method: string, path: string, body?: unknown, by = headers) => {
    const answer = await fetch(url + path, {
      method,
      headers: by,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const provider = { name: 'corp', type: 'oidc', defaultRoles: ['apiread'] };
  const oidc = { issuer: 'https://127.0.0.1:9', clientId: 'c', clientSecret: 'walnut-46' };
  const { data } = await call(first, 'POST', '/sign_in/providers', { provider: { ...provider, oidc } });
  const { _id: id } = data as { _id: string };
  const account = { name: 'machine', description: '' };
  const made = await call(first, 'POST', '/oauth/serviceAccounts', { accountData: account });
  const { client_id, client_secret } = made.results as { client_id: string; client_secret: string };
  const issued = await fetch(`${first.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  });
  const { access_token } = (await issued.json()) as { access_token: string };
  const asMachine = { ...headers, Authorization: `Bearer ${access_token}` };

  // Both processes answer from now on; each request opens or writes a secret, or verifies a token of the machine.
  const serving = new Set<Launched>([first]);
  const failures: string[] = [];
  let [answered, ending, written] = [0, false, 0];
  const traffic = (async () => {
    while (!ending) {
      for (const one of [...serving]) {
        const credential = { name: `c-${written++}`, username: 'u', password: `p4ss-${written}` };
        await Promise.all([
          call(one, 'POST', '/automationgateway/credentials', { credential }),
          call(one, 'POST', `/sign_in/providers/${id}/test`, {}),
          call(one, 'GET', '/whoami', undefined, asMachine),
        ]).then(
          () => {
            answered += 3;
          },
          (error: unknown) => failures.push(String(error)),
        );
      }
      await sleep(200);
    }
  })();
  const replace = async (before: Launched, env: Record<string, string>) => {
    const next = await start(env);
    serving.add(next);
    serving.delete(before);
    await sleep(500);
    before.child.kill('SIGTERM');
    await once(before.child, 'exit');
    return next;
  };
  let [one, two] = [first, await start({ SECRET_KEY: old })];
  serving.add(two);
  for (const env of [
    { SECRET_KEY: old, SECRET_KEY_PREVIOUS: fresh },
    { SECRET_KEY: fresh, SECRET_KEY_PREVIOUS: old },
  ]) {
    one = await replace(one, env);
    two = await replace(two, env);
  }
  const renewal = async () =>
    (await call(two, 'GET', '/secrets/key_renewal')) as unknown as { state: string; sealed: number };
  const complete = await until(
    'every secret is sealed with the new key',
    async () => {
      const found = await renewal();
      return found.state === 'complete' ? found : undefined;
    },
    120,
  );
  ending = true;
  await traffic;
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(20);
  expect(complete.sealed).toBeGreaterThan(0);
  for (const gone of [one, two]) {
    gone.child.kill('SIGTERM');
    await once(gone.child, 'exit');
  }
  const alone = await start({ SECRET_KEY: fresh });
  const list = await call(alone, 'GET', '/sign_in/providers');
  expect(list.total).toBe(1);
  const tried = (await call(alone, 'POST', `/sign_in/providers/${id}/test`, {})) as unknown as {
    reason: string;
  };
  expect(tried.reason).toBe('REFUSED');
}, 600_000);
