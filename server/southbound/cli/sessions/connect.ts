import { setTimeout } from 'node:timers/promises';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { ServiceError } from '#server/kernel/errors.ts';
import { stepDown } from '../algorithms.ts';
import {
  authFailed,
  cliFailure,
  connectTimeout,
  type FailureLocation,
  hostKeyRejected,
  socketFailed,
} from '../failures.ts';
import type { CliTarget, Profile } from '../ports.ts';
import { ConnectError, type ConnectFailure, type Hop, type Route, type Wire } from '../reading/wire.ts';
import { dial } from './dial.ts';
import { dialInThread } from './dial-in-thread.ts';

/** The algorithms that a host needs. */
type HostAlgorithms = { profile: Profile; slow: boolean };

/** What one call has tried: hosts that were offered older algorithms, the kind of key requested from each, and pauses. */
type Tried = { stepped: Set<CliTarget>; kinds: Map<CliTarget, string>; pauses: number };

/** Opens a shell on a device. */
export type Connect = (
  target: CliTarget,
  options: { rows: number; loginSuffix: string; signal: AbortSignal; ms: number },
) => Promise<Wire>;

/** Kinds of host keys to request when only the fingerprint of the known key is recorded. */
const KEY_KINDS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'ssh-dss',
];

/** Pauses before a host that closed the connection at once is tried again, in milliseconds. */
const PAUSES_MS = [250, 500, 1000, 2000];

/** Maximum number of hosts whose algorithms are remembered. */
const REMEMBERED = 10_000;

/**
 * Returns a function that opens shells on devices by SSH; it remembers the algorithms that each host needs.
 *
 * @param insecure called for each connection to a host whose key is not checked
 */
export function openConnect({
  allowPrivateTargets,
  insecure,
}: {
  allowPrivateTargets: boolean;
  insecure: (name: string) => void;
}): Connect {
  const algorithmsByHost = new Map<string, HostAlgorithms>();

  const algorithmsFor = ({ host, port, profile }: CliTarget): HostAlgorithms => {
    const known = algorithmsByHost.get(`${host}|${port}`);
    if (profile) return { profile, slow: known?.slow ?? false };
    return known ?? { profile: 'modern', slow: false };
  };

  /** Chooses other algorithms, or another kind of host key, for the next attempt. @returns false when there are none left */
  const prepareRetry = (failure: ConnectFailure, at: CliTarget, offered: HostAlgorithms, tried: Tried) => {
    if (failure.kind === 'algorithms' && !tried.stepped.has(at)) {
      tried.stepped.add(at);
      // Based on what this attempt offered: a concurrent attempt may have changed the remembered value.
      const fixed = at.profile !== undefined;
      const next = stepDown(offered, { fixed, remoteKex: failure.remoteKex });
      if (next) keepLatest(algorithmsByHost, REMEMBERED, `${at.host}|${at.port}`, next);
      return next !== null;
    }
    if (failure.kind !== 'key') return false;
    const kind = otherKind(at, failure.seen.algorithm, tried.kinds);
    if (kind) tried.kinds.set(at, kind);
    return kind !== null;
  };

  return async (target, { rows, loginSuffix, signal, ms }) => {
    const path = hopsTo(target);
    for (const { name, hostKey } of path) if (hostKey.policy === 'insecure') insecure(name);
    const until = performance.now() + ms;
    const tried: Tried = { stepped: new Set(), kinds: new Map(), pauses: 0 };
    for (;;) {
      const hops = path.map((one): Hop => {
        const { via: _, hostKey, username, ...host } = one;
        return {
          ...host,
          username: one === target ? username + loginSuffix : username,
          hostKey: { ...hostKey, algorithm: tried.kinds.get(one) ?? hostKey.algorithm },
          ...algorithmsFor(one),
        };
      });
      const route: Route = { hops, rows, ms: Math.max(1, until - performance.now()), allowPrivateTargets };
      // Some key exchanges, and decrypting a private key, would block all other sessions.
      const holdsUp = hops.some(({ slow, passphrase }) => slow || passphrase);
      try {
        return await (holdsUp ? dialInThread : dial)(route, signal);
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        const { failure } = error;
        const at = path[failure.hop] ?? target;
        const offered = hops[failure.hop] ?? algorithmsFor(at);
        if (failure.kind === 'full' && (await pauseBefore(tried, until, signal))) continue;
        if (!prepareRetry(failure, at, offered, tried)) throw failureOf(error, at, ms);
      }
    }
  };
}

/**
 * Waits before a host that serves no further client for now is tried again: OpenSSH (`MaxStartups`) and dropbear close
 * connections at once while several clients sign in, which many calls through one jump host are.
 *
 * @param until end of the time limit, as `performance.now` counts
 * @returns false: there was no time, or there were enough attempts
 */
async function pauseBefore(tried: Tried, until: number, signal: AbortSignal): Promise<boolean> {
  // Calls that were rejected together do not come back together.
  const ms = (PAUSES_MS[tried.pauses] ?? Number.POSITIVE_INFINITY) * (0.5 + Math.random());
  if (performance.now() + ms >= until) return false;
  tried.pauses += 1;
  return await setTimeout(ms, true, { signal }).catch(() => false);
}

/** Returns the hosts on the route to a device, the device last. */
export function hopsTo(target: CliTarget): CliTarget[] {
  const route: CliTarget[] = [];
  for (let one: CliTarget | undefined = target; one; one = one.via) route.unshift(one);
  return route;
}

/**
 * Returns the next kind of host key to request, or null. A device may have keys of several kinds: if the kind of the
 * known key is not recorded, each kind is tried before the key counts as changed.
 */
function otherKind(target: CliTarget, seen: string, kinds: ReadonlyMap<CliTarget, string>): string | null {
  if (target.hostKey.algorithm !== '' || target.hostKey.fingerprint === null) return null;
  const before = kinds.get(target);
  // A key of another kind than requested means that the device has none of the requested kind.
  const from = before ? KEY_KINDS.indexOf(before) + 1 : 0;
  return KEY_KINDS.slice(from).find((kind) => kind !== seen) ?? null;
}

/** Returns what follows a mismatch where the profile of the host, and not the device, may be the reason. */
const fixedProfile = ({ profile }: CliTarget) =>
  profile === undefined || profile === 'legacy'
    ? ''
    : `; ssh_profile is ${profile}: leave it out to offer older algorithms as well`;

const offerText = (names: string) => (names === '' ? '' : `; the device offers ${names}`);

function failureOf({ failure }: ConnectError, target: CliTarget, ms: number): ServiceError {
  const where = (stage: FailureLocation['stage']): FailureLocation => ({ name: target.name, stage });
  switch (failure.kind) {
    case 'socket':
      if (failure.denied) return cliFailure(where('connect'), 'TARGET_DENIED', failure.denied);
      return socketFailed(where('connect'), failure.code);
    case 'full':
      return cliFailure(
        where('handshake'),
        'RESET',
        'the device closed the connection before it identified itself: it may allow no more sessions, or be no SSH server',
        { retryable: true },
      );
    case 'forward':
      return cliFailure(
        where('connect'),
        'UNREACHABLE',
        failure.isAllowed
          ? `the jump host ${failure.through} cannot reach it`
          : `the jump host ${failure.through} does not allow connections through it (TCP forwarding)`,
        { retryable: failure.isAllowed },
      );
    case 'timeout':
      return connectTimeout(where(failure.stage), Math.round(ms));
    case 'key':
      return hostKeyRejected(where('handshake'), target.hostKey.fingerprint, failure.seen);
    case 'algorithms':
      return cliFailure(
        where('handshake'),
        'ALGORITHM_MISMATCH',
        `no algorithm in common: no matching ${failure.what}${offerText(failure.offer)}${fixedProfile(target)}`,
      );
    case 'auth':
      return authFailed(where('auth'), failure.message ?? undefined);
    case 'broken':
      return cliFailure(
        where(failure.stage),
        failure.stage === 'login' ? 'SESSION_LOST' : 'RESET',
        failure.message,
        {
          retryable: true,
        },
      );
  }
}
