import { isIP } from 'node:net';
import { addressFault, hostFault } from '#server/kernel/targets/targets.ts';
import type { FindProxy } from '../http/outbound-proxy.ts';
import { lookupAll } from '../lookup.ts';
import { GitFailed } from './ports.ts';

/** How a repository is reached: the address to connect to, or the proxy that makes the connection. */
export type CheckedRoute = { address: string } | { proxy: URL };

/**
 * Returns how to reach a repository. Checks every address of the host; the program connects to the returned one.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param findProxy returns the proxy of requests to a host; undefined: they are sent directly
 * @throws GitFailed for a host that may not be reached, or has no address
 */
export async function checkedRoute(
  url: URL,
  allowPrivateTargets: boolean,
  findProxy: FindProxy,
): Promise<CheckedRoute> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const fault = hostFault(host, allowPrivateTargets);
  if (fault !== null) throw new GitFailed(`the host ${fault}`);
  const route = url.protocol === 'ssh:' ? undefined : findProxy(host, url.protocol === 'https:');
  // Which names the proxy can resolve is not known here.
  if (route) return { proxy: route.proxy };
  if (isIP(host) !== 0) return { address: host };
  const found = await lookupAll(host).catch((error: NodeJS.ErrnoException) => {
    // The resolver does not answer, which may pass.
    if (error.code === 'EAI_AGAIN') throw new GitFailed(`${host} has no address`, true);
    return [];
  });
  const denied = found
    .map(({ address }) => addressFault(address, allowPrivateTargets))
    .find((one) => one !== null);
  const [first] = found;
  if (denied || !first) throw new GitFailed(`${host} ${denied ?? 'has no address'}`);
  return { address: first.address };
}
