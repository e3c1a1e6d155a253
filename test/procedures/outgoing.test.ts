import { expect, test } from 'vitest';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { outgoing, audit } = await service.as('admin');

const replace = (...targets: unknown[]) => outgoing.replaceTargets({ targets } as never);

test('lists nothing at first and returns stored targets', async () => {
  expect(await outgoing.getTargets({})).toEqual({ targets: [] });
  const targets = [{ host: 'api.example.net', ports: [443], schemes: ['https'] }, { host: '192.0.2.0/24' }];
  expect((await replace(...targets)).data).toEqual({ targets });
  expect(await outgoing.getTargets({})).toEqual({ targets });
});

test.each([
  ['', 'host'],
  ['*', 'host'],
  ['*.net', 'two labels'],
  ['*.*.example.net', 'only at its beginning'],
  ['a.*.example.net', '*'],
  ['192.0.2.0/33', 'at most 32'],
  ['2001:db8::/129', 'at most 128'],
  ['nothing/24', 'host'],
  ['https://api.example.net', 'host'],
  ['api.example.net:443', 'host'],
  ['user@api.example.net', 'host'],
])('a list with the host %j is rejected and its place named', async (host, reported) => {
  const { issues, message } = await rejectionOf(replace({ host: 'fine.example.net' }, { host }));
  expect(message).toContain(reported);
  expect(issues[0]).toMatch(/^targets\.1\.host: /);
});

test.each([
  [{ host: 'a.example.net', ports: [0] }, 'targets.0.ports.0'],
  [{ host: 'a.example.net', schemes: ['ftp'] }, 'targets.0.schemes.0'],
  [{ host: 'a.example.net', port: 443 }, 'targets.0.port'],
])('a target with an unknown port, scheme or field is rejected: %j', async (target, path) => {
  expect(await issuePathsOf(replace(target))).toEqual([path]);
});

test('a rejected list leaves the stored one as it was', async () => {
  await replace({ host: 'kept.example.net' });
  await rejectionOf(replace({ host: 'not a host' }));
  expect(await outgoing.getTargets({})).toEqual({ targets: [{ host: 'kept.example.net' }] });
});

test('only an admin reads and changes the list, and the audit trail records the account', async () => {
  expect(await rolesThatMay(service, (as) => as.outgoing.getTargets({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.outgoing.replaceTargets({ targets: [] }))).toEqual(['admin']);
  const { results } = await audit.listEntries({
    queryOptions: { equals: 'outgoing.replaceTargets', equalsField: 'operation', limit: 50 },
  });
  expect(results).toContainEqual(
    expect.objectContaining({
      outcome: 'ok',
      document: expect.objectContaining({ kind: 'outgoing_targets' }),
    }),
  );
  expect(results.some(({ outcome }) => outcome === 'refused')).toBe(true);
});
