import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressFault, hostFault } from '#server/kernel/targets/targets.ts';
import { GitFailed } from './ports.ts';

/**
 * Returns the address to connect to. Checks every address of the host; the program connects to the returned one.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @throws GitFailed for a host that may not be reached, or has no address
 */
export async function checkedAddress(url: URL, allowPrivateTargets: boolean): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const fault = hostFault(host, allowPrivateTargets);
  if (fault !== null) throw new GitFailed(`the host ${fault}`);
  if (isIP(host) !== 0) return host;
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => {
    // The resolver does not answer, which may pass.
    if (error.code === 'EAI_AGAIN') throw new GitFailed(`${host} has no address`, true);
    return [];
  });
  const denied = found
    .map(({ address }) => addressFault(address, allowPrivateTargets))
    .find((one) => one !== null);
  const [first] = found;
  if (denied || !first) throw new GitFailed(`${host} ${denied ?? 'has no address'}`);
  return first.address;
}
