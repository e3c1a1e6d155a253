import type { Agent, AgentOptions } from 'node:http';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { canonicalHost, matchTargets } from '#server/kernel/targets/listed-targets.ts';

/** The proxy through which an organisation lets requests out, and the hosts that are reached without it. */
export type OutboundProxy = {
  /** With a name and password where the proxy asks for them. */
  url: URL;
  /** Names, addresses, `*.` and a domain, or networks. */
  except: readonly string[];
};

/** This machine is never reached through a proxy. */
const OWN = ['localhost', '*.localhost', '127.0.0.0/8', '::1'];

/** A proxy through which requests reach a host. */
export type ProxyRoute = {
  proxy: URL;
  /** Makes an agent that sends requests through it. */
  agent: (options: AgentOptions) => Agent;
};

/** Returns the proxy of requests to a host, encrypted or not; undefined: they are sent directly. */
export type FindProxy = (host: string, secure: boolean) => ProxyRoute | undefined;

/**
 * Returns a function that finds the proxy of a request. Names are resolved by the proxy, so that no address is checked here.
 *
 * @param proxy absent: every request is sent directly
 * @returns a function of the host and of whether the request is encrypted
 */
export function openOutboundProxy(proxy: OutboundProxy | undefined): FindProxy {
  if (!proxy) return () => undefined;
  const { url } = proxy;
  const excepted = [...OWN, ...proxy.except].map((host) => ({ host }));
  return (host, secure) => {
    const destination = { scheme: 'https' as const, host: canonicalHost(host) ?? host, port: 0 };
    if (matchTargets(excepted, destination).isNamed) return undefined;
    return {
      proxy: url,
      agent: (options) => (secure ? new HttpsProxyAgent(url, options) : new HttpProxyAgent(url, options)),
    };
  };
}
