import { expect, test } from 'vitest';
import { openForwarded } from '#server/http/input/proxies.ts';
import { ConfigError, readConfig } from '#server/kernel/config.ts';
import { openService } from '../helpers/service.ts';

const forwarded = openForwarded(['192.0.2.0/24', '2001:db8:1::/48', '10.0.0.7']);

test('headers of a peer that is no trusted proxy do not count', () => {
  const headers = {
    'x-forwarded-for': '198.51.100.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
  };
  expect(forwarded(headers, '203.0.113.9')).toEqual({});
  expect(forwarded(headers, undefined)).toEqual({});
  expect(openForwarded([])(headers, '127.0.0.1')).toEqual({});
});

test('the client is the last address that is no trusted proxy', () => {
  const clientOf = (list: string, peer = '192.0.2.1') => forwarded({ 'x-forwarded-for': list }, peer).address;
  expect(clientOf('198.51.100.1')).toBe('198.51.100.1');
  expect(clientOf('1.1.1.1, 198.51.100.1, 10.0.0.7, 192.0.2.9')).toBe('198.51.100.1');
  expect(clientOf('198.51.100.1:4711, [2001:db8:1::5]:80', '::ffff:192.0.2.1')).toBe('198.51.100.1');
  expect(clientOf('10.0.0.7, 192.0.2.9')).toBe('10.0.0.7');
  expect(clientOf('198.51.100.1, ')).toBeUndefined();
});

test('scheme and host come from the last proxy', () => {
  const headers = { 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'a.example, b.example' };
  expect(forwarded(headers, '2001:db8:1::9')).toEqual({ secure: true, host: 'b.example' });
});

test('a wrong list of proxies or half of a certificate stops the start with a message that names the variable', () => {
  for (const text of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x', '::/129']) {
    expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(
      'TRUSTED_PROXIES must be addresses or networks',
    );
  }
  expect(() => readConfig({ TLS_CERT: '/tmp/one.pem' })).toThrow(ConfigError);
  expect(readConfig({ TRUSTED_PROXIES: ' 10.0.0.0/8 , ::1' }).trustedProxies).toEqual(['10.0.0.0/8', '::1']);
});

test('behind a trusted proxy, the page of the forwarded host may write, the audit trail has the client', async () => {
  const service = await openService({ TRUSTED_PROXIES: '127.0.0.0/8' });
  const { token } = await service.callerWith('admin');
  const write = (host: string) =>
    service.send(
      null,
      'PATCH',
      '/user/settings',
      { preferences: {} },
      {
        headers: {
          Cookie: `token=${token}`,
          Origin: 'https://switchyard.example',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': host,
          'X-Forwarded-For': '198.51.100.77',
        },
      },
    );
  expect((await write('other.example')).status).toBe(403);
  const { status, headers } = await write('switchyard.example');
  expect(status).toBe(200);
  expect(headers['strict-transport-security']).toBeDefined();
  expect(service.logged.some((line) => line.includes('198.51.100.77'))).toBe(true);
});
