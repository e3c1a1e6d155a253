import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressFault } from '#server/kernel/targets/targets.ts';

/** A name resolved to an address that nothing may be sent to. */
export class TargetDenied extends Error {}

/**
 * Resolves names for a connection, and lets through only addresses that may be reached: the socket goes to the very
 * address that was checked, so a name that changes its mind in between leads nowhere.
 */
export const checkedLookup =
  (allowNear: boolean, permits: (address: string) => string | null = () => null): LookupFunction =>
  (hostname, { family, hints, all }, done) => {
    const asked = { all: true as const, ...(family !== undefined && { family }), ...(hints && { hints }) };
    lookup(hostname, asked, (error, found: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      const fault = found
        .map(({ address }) => addressFault(address, allowNear) ?? permits(address))
        .find((one) => one !== null);
      const [first] = found;
      if (fault || !first) return done(new TargetDenied(`${hostname} ${fault ?? 'has no address'}`), '', 0);
      // Node asks for all of them when it tries families in turn; its types know one address only.
      if (all) return (done as unknown as (error: null, found: LookupAddress[]) => void)(null, found);
      return done(null, first.address, first.family);
    });
  };
