import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { type LookupFunction, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { addressFault } from '#server/kernel/targets/targets.ts';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';

/** Thrown when a name resolves to an address that may not be reached. */
export class TargetDenied extends Error {}

/**
 * Names of one domain that are looked up at the same time: of one whose name server answered last, and of any other. Each lookup
 * occupies one of the sixteen threads for them until the resolver gives up (`server/app/launch.cjs`): domains whose server does not
 * answer must leave threads to all other names.
 */
const AT_ONCE = { answering: 4, others: 2 };
/** Most domains of which it is known that they answer; all are forgotten beyond. */
const MOST_DOMAINS = 5000;
/** How long a lookup waits for others of its domain, in milliseconds; then it fails as one without an answer does. */
const LONGEST_MS = 10_000;

/**
 * How long each address of a name with several has to accept a connection, in milliseconds; then the next one is tried, and never this one
 * again. The 250 ms of Node are less than a lost packet or a satellite takes: where the other address was dead, the host was not reached.
 */
const ATTEMPT_MS = 1500;
setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);

const turns = openKeyedSemaphore(Number.POSITIVE_INFINITY);
const answering = new Set<string>();

/** @param error of a lookup: that a name does not exist is an answer too */
function noteAnswer(domain: string, error: NodeJS.ErrnoException | null): void {
  if (answering.size >= MOST_DOMAINS) answering.clear();
  if (error?.code === 'EAI_AGAIN') answering.delete(domain);
  else answering.add(domain);
}

/** Resolves a name when it is the turn of its domain. */
function lookupInTurn(
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
): void {
  const [, domain = ''] = /\.(.*)/.exec(hostname.toLowerCase()) ?? [];
  const most = answering.has(domain) ? AT_ONCE.answering : AT_ONCE.others;
  turns(domain, most, AbortSignal.timeout(LONGEST_MS)).then(
    (end) =>
      lookup(hostname, options, (error, found) => {
        end?.();
        noteAnswer(domain, error);
        done(error, found);
      }),
    () =>
      done(Object.assign(new Error(`lookup of ${hostname} waited for others`), { code: 'EAI_AGAIN' }), []),
  );
}

/**
 * Returns all addresses of a name, once it is the turn of its domain. Whoever connects has to check them (`addressFault`).
 *
 * @param hostname the name; an address is returned as it is
 * @returns every address with its family, in the order of the resolver
 * @throws NodeJS.ErrnoException with the code of the resolver: `EAI_AGAIN` when it does not answer
 */
export const lookupAll = (hostname: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) => {
    lookupInTurn(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

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
    lookupInTurn(hostname, options, (error, found) => {
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
