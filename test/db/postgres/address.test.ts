import { expect, test } from 'vitest';
import { addressFault, namesOf, parseAddress } from '#db/connections/address.ts';

const hostsOf = (url: string) => parseAddress(url).hosts.map(({ host, port }) => `${host} ${port}`);

test('the servers of a URL are names, addresses and folders of sockets, one or several', () => {
  const urls: [string, ...string[]][] = [
    ['postgres://u:p@db.example/x', 'db.example 5432'],
    ['postgres://u:p@db.example:5433/x', 'db.example 5433'],
    ['postgres://[::1]:5433/x', '::1 5433'],
    ['postgres://u@[2001:db8::7]', '2001:db8::7 5432'],
    ['postgres://u@[fe80::1%25eth0]:5433/x', 'fe80::1%eth0 5433'],
    ['postgresql://one:5433,[::1],three:5434/x', 'one 5433', '::1 5432', 'three 5434'],
    ['postgresql://', 'localhost 5432'],
    ['postgres:///x?host=/var/run/postgresql', '/var/run/postgresql 5432'],
    ['postgres://u:p@%2Fvar%2Frun%2Fpostgresql:5433/x', '/var/run/postgresql 5433'],
    ['postgres:///x?host=one,two&port=5433,5434', 'one 5433', 'two 5434'],
    ['postgres:///x?host=::1&port=5433', '::1 5433'],
  ];
  for (const [url, ...hosts] of urls) expect(hostsOf(url), url).toEqual(hosts);
  expect(namesOf(parseAddress('postgres://u:p@one,[::1]:5433/x'))).toBe('one:5432,[::1]:5433');
});

test('user, password and database may have any characters', () => {
  const { user, password, database } = parseAddress(
    'postgres://net%40work:a%40b%3Ac%2Fd%25e%23f%3Fg%20%C3%BC@db.example/n%C3%A4me',
  );
  expect({ user, password, database }).toEqual({
    user: 'net@work',
    password: 'a@b:c/d%e#f?g ü',
    database: 'näme',
  });
  // These need not be written otherwise.
  expect(parseAddress('postgres://u:a@b,c#dü:e@db.example/x').password).toBe('a@b,c#dü:e');
  expect(parseAddress('postgres://u@db.example').password).toBeUndefined();
});

test('parameters of libpq are understood, and all others are settings of the session', () => {
  const { tls, settings } = parseAddress(
    'postgres://one,two/x?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem' +
      '&channel_binding=require&target_session_attrs=read-write&application_name=other&work_mem=8MB',
  );
  expect(tls).toMatchObject({
    mode: 'verify-full',
    rootCertificates: '/ca.pem',
    certificate: '/c.pem',
    key: '/k.pem',
  });
  expect(settings).toEqual({ work_mem: '8MB' });
  const modes: [string, string | undefined][] = [
    ['', undefined],
    ['?sslmode=disable', undefined],
    ['?sslmode=require', 'require'],
    ['?sslmode=require&sslrootcert=/ca.pem', 'verify-ca'],
    ['?sslrootcert=system', 'verify-full'],
    ['?ssl=true', 'require'],
  ];
  for (const [query, mode] of modes)
    expect(parseAddress(`postgres://db.example/x${query}`).tls?.mode, query).toBe(mode);
});

test('a URL that is not valid is reported without its password', () => {
  const urls: [string, RegExp][] = [
    ['mysql://u:secret@db.example/x', /^is no URL of PostgreSQL: it must be like postgres:/],
    ['postgres://u:sec/ret@db.example/x', /^has a port that is no number up to 65535: .* \/ .* written as/],
    ['postgres://u:sec?ret@db.example/x', /^has a port that is no number/],
    ['postgres://u:secret%@db.example/x', /^has a % that no hexadecimal digits follow/],
    ['postgres://u:secret@::1/x', /^has an IPv6 address without brackets/],
    [
      'postgres://u:secret@db.example/x?sslmode=prefer',
      /^has an sslmode that is not supported: use require,/,
    ],
  ];
  for (const [url, fault] of urls) {
    expect(addressFault(url)).toMatch(fault);
    expect(addressFault(url)).not.toContain('sec');
  }
});
