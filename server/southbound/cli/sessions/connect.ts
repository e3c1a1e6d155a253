import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { ServiceError } from '#server/kernel/errors.ts';
import { stepDown } from '../algorithms.ts';
import {
  authFailed,
  cliFailure,
  connectTimeout,
  type FailureLocation,
  hostKeyRefused,
  socketFailed,
} from '../failures.ts';
import type { CliTarget, Profile } from '../ports.ts';
import { type Hop, type Route, type Wire, WireRefused } from '../reading/wire.ts';
import { dial } from './dial.ts';
import { dialInThread } from './dial-in-thread.ts';

/** What a host was found to need. */
type Manner = { profile: Profile; slow: boolean };

/** Opens shells on devices, and remembers which algorithms each of them speaks. */
export type Connect = (
  target: CliTarget,
  options: { rows: number; loginSuffix: string; signal: AbortSignal; ms: number },
) => Promise<Wire>;

/** Kinds of keys that are asked for, when the one that is known is known by its fingerprint alone. */
const KEY_KINDS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'ssh-dss',
];

/** Hosts whose manner is remembered. */
const REMEMBERED = 10_000;

/** @param told of a host that takes any key, each time */
export function openConnect({
  allowNear,
  insecure,
}: {
  allowNear: boolean;
  insecure: (name: string) => void;
}): Connect {
  const manners = new Map<string, Manner>();

  const mannerOf = ({ host, port, profile }: CliTarget): Manner => {
    const known = manners.get(`${host}|${port}`);
    if (profile) return { profile, slow: known?.slow ?? false };
    return known ?? { profile: 'modern', slow: false };
  };

  return async (target, { rows, loginSuffix, signal, ms }) => {
    const way = hopsTo(target);
    for (const { name, hostKey } of way) if (hostKey.policy === 'insecure') insecure(name);
    const until = performance.now() + ms;
    const stepped = new Set<CliTarget>();
    const kinds = new Map<CliTarget, string>();
    for (;;) {
      const hops = way.map((one): Hop => {
        const { via: _, hostKey, username, ...host } = one;
        return {
          ...host,
          username: one === target ? username + loginSuffix : username,
          hostKey: { ...hostKey, algorithm: kinds.get(one) ?? hostKey.algorithm },
          ...mannerOf(one),
        };
      });
      const route: Route = { hops, rows, ms: Math.max(1, until - performance.now()), allowNear };
      // Some key exchanges, and opening a protected key, would hold up every other session.
      const holdsUp = hops.some(({ slow, passphrase }) => slow || passphrase);
      try {
        return await (holdsUp ? dialInThread : dial)(route, signal);
      } catch (error) {
        if (!(error instanceof WireRefused)) throw error;
        const { refusal } = error;
        const at = way[refusal.hop] ?? target;
        if (refusal.kind === 'algorithms' && !stepped.has(at)) {
          stepped.add(at);
          // What this attempt offered: another one may have found out meanwhile.
          const next = stepDown(hops[refusal.hop] ?? mannerOf(at), {
            fixed: at.profile !== undefined,
            remoteKex: refusal.remoteKex,
          });
          if (next) {
            keepLatest(manners, REMEMBERED, `${at.host}|${at.port}`, next);
            continue;
          }
        }
        const nextKind = refusal.kind === 'key' ? otherKind(at, refusal.seen.algorithm, kinds) : null;
        if (nextKind) {
          kinds.set(at, nextKind);
          continue;
        }
        throw failureOf(error, at, ms);
      }
    }
  };
}

/** The hosts on the way to a device, itself the last. */
export function hopsTo(target: CliTarget): CliTarget[] {
  const way: CliTarget[] = [];
  for (let one: CliTarget | undefined = target; one; one = one.via) way.unshift(one);
  return way;
}

/**
 * A device may have keys of several kinds. Where it is not known which kind the known one is of, each is asked for in
 * turn before the key counts as changed.
 */
function otherKind(target: CliTarget, seen: string, kinds: ReadonlyMap<CliTarget, string>): string | null {
  if (target.hostKey.algorithm !== '' || target.hostKey.fingerprint === null) return null;
  const before = kinds.get(target);
  // Asked for one kind, it showed another: it has none of that kind, and the search is over once all were asked for.
  const from = before ? KEY_KINDS.indexOf(before) + 1 : 0;
  return KEY_KINDS.slice(from).find((kind) => kind !== seen) ?? null;
}

function failureOf({ refusal }: WireRefused, target: CliTarget, ms: number): ServiceError {
  const where = (stage: FailureLocation['stage']): FailureLocation => ({ name: target.name, stage });
  switch (refusal.kind) {
    case 'socket':
      if (refusal.denied) return cliFailure(where('connect'), 'TARGET_DENIED', refusal.denied);
      return socketFailed(where('connect'), refusal.code);
    case 'timeout':
      return connectTimeout(where(refusal.stage), Math.round(ms));
    case 'key':
      return hostKeyRefused(where('handshake'), target.hostKey.fingerprint, refusal.seen);
    case 'algorithms':
      return cliFailure(
        where('handshake'),
        'ALGORITHM_MISMATCH',
        `nothing in common: no matching ${refusal.what}`,
      );
    case 'auth':
      return authFailed(where('auth'), refusal.message ?? undefined);
    case 'broken':
      return cliFailure(
        where(refusal.stage),
        refusal.stage === 'login' ? 'SESSION_LOST' : 'RESET',
        refusal.message,
        {
          retryable: true,
        },
      );
  }
}
