import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup, TargetDenied } from '#server/southbound/lookup.ts';

/** The address that a socket would connect to. */
const resolved = (name: string, allowPrivateTargets: boolean, all: boolean) =>
  new Promise<unknown>((resolve, reject) => {
    const done = (error: Error | null, found: string | LookupAddress[]) =>
      error ? reject(error) : resolve(found);
    checkedLookup(allowPrivateTargets)(name, { all }, done as never);
  });

describe('a name', () => {
  test.each([true, false])('that resolves to this machine leads nowhere (all: %s)', async (all) => {
    await expect(resolved('localhost', false, all)).rejects.toBeInstanceOf(TargetDenied);
  });
  test('leads to the address that was checked when private targets are allowed', async () => {
    expect(['127.0.0.1', '::1']).toContain(await resolved('localhost', true, false));
    expect(await resolved('localhost', true, true)).toContainEqual(
      expect.objectContaining({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) }),
    );
  });
});

test.each(['192.0.2.1', '10.1.2.3', '2001:db8::1', 'orch.example.net'])(
  '%s is allowed as a target',
  (host) => {
    expect(hostFault(host, false)).toBeNull();
  },
);

test.each(['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', '::127.0.0.1', '224.0.0.1'])(
  '%s is denied as a target, however it is written',
  (host) => {
    expect(hostFault(host, false)).toEqual(expect.any(String));
  },
);

test('an IPv6 address in brackets or with a zone is denied with what to write instead', () => {
  expect(hostFault('[2001:db8::7]', false)).toBe('is an IPv6 address in brackets: write it without them');
  expect(hostFault('fe80::1%eth0', true)).toMatch(/^is an IPv6 address with a zone/);
  expect(hostFault('[db.example]', false)).toBe('is neither an IP address nor a valid DNS name');
});
