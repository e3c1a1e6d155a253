import type { Algorithms } from 'ssh2';
import type { Profile } from './ports.ts';

type Lists = Record<'kex' | 'serverHostKey' | 'cipher' | 'hmac', string[]>;

/** What is offered, best first: a device takes the first that it knows too, so that more offered is not less safe. */
const OFFERED: Record<Profile, Lists> = {
  modern: {
    kex: [
      'curve25519-sha256',
      'curve25519-sha256@libssh.org',
      'ecdh-sha2-nistp256',
      'ecdh-sha2-nistp384',
      'ecdh-sha2-nistp521',
      'diffie-hellman-group16-sha512',
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
 * Key exchanges that hold up the thread they are done in, so each gets one of its own: groups that the device makes itself
 * are proved for seconds; the 1024 bits of group 1 are proved anew each time, for 100 ms; 8192 bits take 50 ms to reckon with.
 */
const SLOW: Record<Profile, string[]> = {
  modern: ['diffie-hellman-group18-sha512', 'diffie-hellman-group-exchange-sha256'],
  compatible: ['diffie-hellman-group18-sha512', 'diffie-hellman-group-exchange-sha256'],
  legacy: [
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
 * What is offered to a device.
 *
 * @param slow offer key exchanges that hold up a thread, and no others
 * @param first kinds of host keys to ask for before others: one that is known must not look changed
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
  // The library types name the algorithms that it knows; these are among them.
  return lists as unknown as Algorithms;
}

/** Names under which a kind of host key is negotiated. */
export const namesOfKey = (algorithm: string): string[] =>
  algorithm === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : algorithm === '' ? [] : [algorithm];

/** Negotiated algorithms, as they are reported. */
export type Negotiated = { kex: string; serverHostKey: string; cipher: string; mac: string };

/** The least profile that offers all that was negotiated. */
export function profileOf({ kex, serverHostKey, cipher, mac }: Negotiated): Profile {
  const within = (profile: Profile) =>
    (offered(profile, 'kex').includes(kex) || SLOW[profile].includes(kex)) &&
    offered(profile, 'serverHostKey').includes(serverHostKey) &&
    offered(profile, 'cipher').includes(cipher) &&
    (mac === '' || offered(profile, 'hmac').includes(mac));
  return within('modern') ? 'modern' : within('compatible') ? 'compatible' : 'legacy';
}

/** What to offer to a device that knew nothing of what it was offered; null: nothing more can be. */
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
