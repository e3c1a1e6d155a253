import { connect, isIP } from 'node:net';
import { addressFault, hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup, TargetDenied } from '../lookup.ts';
import type { GnoiTarget } from './ports.ts';

type Lookup = { address: string; family: number };

/**
 * Returns the checked address for a channel. gRPC itself would resolve the name again and could connect to another
 * address. Of several addresses, it returns one that accepts a connection.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param signal ends attempts to connect
 * @throws TargetDenied when the address may not be reached; Error with a socket error code
 */
export async function addressOf(
  { host, port }: GnoiTarget,
  { allowPrivateTargets, signal }: { allowPrivateTargets: boolean; signal: AbortSignal },
): Promise<string> {
  const fault = isIP(host) ? addressFault(host, allowPrivateTargets) : hostFault(host, allowPrivateTargets);
  if (fault) throw new TargetDenied(`the host ${fault}`);
  if (isIP(host)) return host;
  const lookup = checkedLookup(allowPrivateTargets);
  const found = await new Promise<Lookup[]>((resolve, reject) => {
    // With `all` it returns a list; its type allows only one address.
    lookup(host, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses as unknown as Lookup[]),
    );
  });
  const [first, ...others] = found;
  if (first && others.length === 0) return first.address;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup, autoSelectFamily: true, signal });
    socket.on('error', reject);
    socket.on('connect', () => {
      resolve(socket.remoteAddress ?? host);
      socket.destroy();
    });
  });
}
