import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its private key, as PEM text. */
export type Identity = { cert: string; key: string };

type Wanted = {
  /** Names and addresses that the certificate is for. */
  names?: readonly string[];
  /** When it ends; absent: tomorrow. */
  until?: Date;
};

/** Who signs certificates in the lab: made anew each time, so that no key lies in the repository. */
export function openAuthority(name = 'Lab authority') {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signWith = (subject: string, publicKey: KeyObject, extensions: Buffer[], until: Date) =>
    certificate({ issuer: name, subject, publicKey, extensions, until, signer: own.privateKey });
  return {
    /** What those trust who trust this authority. */
    ca: signWith(name, own.publicKey, [IS_AUTHORITY], tomorrow()),
    issue({ names = [], until = tomorrow() }: Wanted = {}): Identity {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = names.length > 0 ? [alternativeNames(names)] : [];
      return {
        cert: signWith(names[0] ?? 'client', publicKey, extensions, until),
        key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      };
    },
  };
}

const tomorrow = () => new Date(Date.now() + 86_400_000);

// X.509 in as much of DER as it takes (RFC 5280).
const der = (tag: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const TRUE = der(0x01, Buffer.from([0xff]));
const COMMON_NAME = oid('550403');
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
/** basicConstraints, critical: CA. */
const IS_AUTHORITY = sequence(oid('551d13'), TRUE, der(0x04, sequence(TRUE)));

const called = (name: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));

const time = (date: Date) =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIP(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name)),
  );
  return sequence(oid('551d11'), der(0x04, sequence(...entries)));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const words = (text: string) => (text ? text.split(':') : []);
  const missing = 8 - words(head).length - words(tail).length;
  const all = [...words(head), ...Array<string>(missing).fill('0'), ...words(tail)];
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex');
}

type Certified = {
  issuer: string;
  subject: string;
  publicKey: KeyObject;
  extensions: Buffer[];
  until: Date;
  signer: KeyObject;
};

function certificate({ issuer, subject, publicKey, extensions, until, signer }: Certified): string {
  const from = new Date(Math.min(Date.now(), until.getTime()) - 86_400_000);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    called(issuer),
    sequence(time(from), time(until)),
    called(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const signature = createSign('sha256').update(body).sign(signer);
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
