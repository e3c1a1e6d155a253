import { expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { ABSENT, DOCUMENTED, PRESENT } from './helpers/http/documented.ts';
import { sampled } from './helpers/long.ts';
import { openService } from './helpers/service.ts';

const service = await openService();

/** A path whose parameters name things that nobody has. */
const concrete = (path: string) =>
  path.replace(':componentId', '1').replace(/:\w+\+?/g, '65a000000000000000000000');

/** Every role for every endpoint in the long form, for some in the short one; below, each endpoint denies a role in both. */
test.each(sampled(PRESENT, 20))(
  '$method $path lets in $roles and nobody else',
  async ({ method, path, roles }) => {
    for (const role of ROLES) {
      const answer = await service.send(role, method, concrete(path), method === 'GET' ? undefined : {});
      if (roles.includes(role)) expect([200, 400, 404], `${role}: ${answer.text}`).toContain(answer.status);
      else expect(answer, role).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    }
    const nobody = await service.send(null, method, concrete(path), method === 'GET' ? undefined : {});
    expect(nobody).toMatchObject({ status: 401, json: { code: 'UNAUTHORIZED' } });
  },
);

test('every documented endpoint exists or is listed as planned', () => {
  const have = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  for (const { no, method, path } of DOCUMENTED)
    expect(have.has(`${method} ${path}`), path).toBe(!ABSENT.has(no));
});

const guarded = operations.filter(({ meta }) => (meta.audience ?? 'public') !== 'public');

test.each(guarded.map((operation) => ({ operation, at: `${operation.method} ${operation.path}` })))(
  '$at denies callers without its roles before it reads the request',
  async ({ operation }) => {
    const { meta, method, path } = operation;
    const { audience } = meta;
    const raw = '{"broken';
    const bodied = method !== 'GET' && { headers: { 'Content-Type': 'text/xml' }, raw };
    expect((await service.send(null, method, concrete(path), undefined, bodied || {})).status).toBe(401);
    const outside = ROLES.find((role) => typeof audience === 'object' && !audience.includes(role));
    if (!outside) return;
    expect((await service.send(outside, method, concrete(path), undefined, bodied || {})).status).toBe(403);
  },
);
