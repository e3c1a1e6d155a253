import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressFault } from '#server/kernel/targets/targets.ts';

/** Thrown when a name resolves to an address that may not be reached. */
export class TargetDenied extends Error {}

/**
 * Returns a DNS lookup for sockets that rejects addresses that may not be reached. The socket connects to the address
 * that was checked, so a later change of the DNS record has no effect.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param permits returns why an address may not be reached besides that; null: it may
 */
export const checkedLookup =
  (allowPrivateTargets: boolean, permits: (address: string) => string | null = () => null): LookupFunction =>
  (hostname, { family, hints, all }, done) => {
    const options = { all: true as const, ...(family !== undefined && { family }), ...(hints && { hints }) };
    lookup(hostname, options, (error, found: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      const fault = found
        .map(({ address }) => addressFault(address, allowPrivateTargets) ?? permits(address))
        .find((one) => one !== null);
      const [first] = found;
      if (fault || !first) return done(new TargetDenied(`${hostname} ${fault ?? 'has no address'}`), '', 0);
      // Node asks for all addresses when it tries address families in turn; its types allow only one address.
      if (all) return (done as unknown as (error: null, found: LookupAddress[]) => void)(null, found);
      return done(null, first.address, first.family);
    });
  };
