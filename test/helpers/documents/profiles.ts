import { expect } from 'vitest';
import { openService } from '../service.ts';

/** A profile as it is answered. */
export type Entry = {
  metadata: { isActive: boolean; activeSync: boolean };
  profile: Record<string, unknown>;
};

/** A service of its own for a test file about profiles, and an administrator's calls. */
export async function openProfiles() {
  const service = await openService();
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.send('admin', method, path, body, { headers });
  const read = async (id: string) => (await send('GET', `/profiles/${id}`)).json as Entry;
  const create = async (properties: { id: string } & Record<string, unknown>) => {
    const answer = await send('POST', '/profiles', { properties });
    expect(answer.status, answer.text).toBe(200);
    return answer.json as { status: string; message: string; data: Record<string, unknown> };
  };
  return { service, send, read, create };
}
