import type { Algorithms } from 'ssh2';
import type { Profile } from './ports.ts';

type Lists = Record<'kex' | 'serverHostKey' | 'cipher' | 'hmac', string[]>;

/** Algorithms to offer, best first. The device uses the first that it supports, so a longer offer is as secure. */
const OFFERED: Record<Profile, Lists> = {
  modern: {
    kex: [
      'curve25519-sha256',
      'curve25519-sha256@libssh.org',
      'ecdh-sha2-nistp256',
      'ecdh-sha2-nistp384',
      'ecdh-sha2-nistp521',
      'diffie-hellman-group16-sha512',
      'diffie-hellman-group15-sha512',
      'diffie-hellman-group14-sha256',
    ],
    serverHostKey: [
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
      'ecdsa-sha2-nistp384',
      'ecdsa-sha2-nistp521',
      'rsa-sha2-512',
      'rsa-sha2-256',
    ],
    cipher: [
      'aes128-gcm@openssh.com',
      'aes256-gcm@openssh.com',
      'chacha20-poly1305@openssh.com',
      'aes128-ctr',
      'aes192-ctr',
      'aes256-ctr',
    ],
    hmac: [
      'hmac-sha2-256-etm@openssh.com',
      'hmac-sha2-512-etm@openssh.com',
      'hmac-sha2-256',
      'hmac-sha2-512',
      'hmac-sha1-etm@openssh.com',
      'hmac-sha1',
    ],
  },
  compatible: {
    kex: ['diffie-hellman-group14-sha1'],
    serverHostKey: ['ssh-rsa'],
    cipher: ['aes128-cbc', 'aes192-cbc', 'aes256-cbc'],
    hmac: [],
  },
  legacy: {
    kex: [],
    serverHostKey: ['ssh-dss'],
    cipher: ['3des-cbc'],
    hmac: ['hmac-sha1-96', 'hmac-md5', 'hmac-md5-96'],
  },
};

/**
 * Key exchanges that block their thread and therefore run in a separate one: verifying a group that the device
 * generates takes seconds; group 1 (1024 bits) is verified each time and takes 100 ms; calculating with 6144 or
 * 8192 bits takes up to 50 ms.
 */
const SLOW: Record<Profile, string[]> = {
  modern: [
    'diffie-hellman-group17-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group-exchange-sha256',
  ],
  compatible: [
    'diffie-hellman-group17-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group-exchange-sha256',
  ],
  legacy: [
    'diffie-hellman-group17-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group-exchange-sha1',
    'diffie-hellman-group1-sha1',
  ],
};

const UP_TO: Record<Profile, readonly Profile[]> = {
  modern: ['modern'],
  compatible: ['modern', 'compatible'],
  legacy: ['modern', 'compatible', 'legacy'],
};

const offered = (profile: Profile, list: keyof Lists) => UP_TO[profile].flatMap((one) => OFFERED[one][list]);

/**
 * Returns the algorithms to offer to a device.
 *
 * @param slow offer only the key exchanges that block a thread
 * @param first kinds of host keys to request first, so that a known key does not appear changed
 */
export function algorithmsOf(profile: Profile, slow: boolean, first: readonly string[]): Algorithms {
  const keys = offered(profile, 'serverHostKey');
  const lists = {
    kex: slow ? SLOW[profile] : offered(profile, 'kex'),
    serverHostKey: [
      ...keys.filter((one) => first.includes(one)),
      ...keys.filter((one) => !first.includes(one)),
    ],
    cipher: offered(profile, 'cipher'),
    hmac: offered(profile, 'hmac'),
    compress: ['none'],
  };
  // The library's types list the algorithms that it knows; these are among them.
  return lists as unknown as Algorithms;
}

/**
 * Returns the names under which a kind of host key is negotiated.
 *
 * @param algorithm of the stored key; "" when only its fingerprint is known
 */
export const namesOfKey = (algorithm: string): string[] =>
  algorithm === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : algorithm === '' ? [] : [algorithm];

/** Negotiated algorithms, as reported to the caller. */
export type Negotiated = { kex: string; serverHostKey: string; cipher: string; mac: string };

/** Returns the most secure profile that offers all negotiated algorithms. */
export function profileOf({ kex, serverHostKey, cipher, mac }: Negotiated): Profile {
  const within = (profile: Profile) =>
    (offered(profile, 'kex').includes(kex) || SLOW[profile].includes(kex)) &&
    offered(profile, 'serverHostKey').includes(serverHostKey) &&
    offered(profile, 'cipher').includes(cipher) &&
    (mac === '' || offered(profile, 'hmac').includes(mac));
  return within('modern') ? 'modern' : within('compatible') ? 'compatible' : 'legacy';
}

/**
 * Returns the next offer for a device without a common algorithm; null: no other offer is left.
 *
 * @param from the offer that the device rejected
 * @param fixed true: the profile is set for the host and stays
 * @param remoteKex key exchange methods that the device offers
 */
export function stepDown(
  from: { profile: Profile; slow: boolean },
  { fixed, remoteKex }: { fixed: boolean; remoteKex: readonly string[] },
): { profile: Profile; slow: boolean } | null {
  const profile = fixed ? from.profile : 'legacy';
  const common = offered(profile, 'kex').some((one) => remoteKex.includes(one));
  const slow = !common && SLOW[profile].some((one) => remoteKex.includes(one));
  if (profile === from.profile && slow === from.slow) return null;
  return common || slow ? { profile, slow } : null;
}
