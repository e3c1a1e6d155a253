import { createHmac, randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type ChannelOptions, Client, connectivityState, credentials } from '@grpc/grpc-js';
import { addressOf } from './address.ts';
import { connectionFailed, tlsFailed, tooSlow } from './failures.ts';
import type { GnoiTarget } from './ports.ts';

/** A channel that nobody used for so long is closed. */
const IDLE_MS = 5 * 60_000;

/** Time for a connection to come about. */
const CONNECT_MS = 10_000;

/** Bytes of one message at most: a probe has a few hundred. */
const MESSAGE = 256 * 1024;

/** Work on a channel that is open. */
type Use<Value> = (client: Client) => Promise<Value>;

type Channel = { client: Client; users: number; timer?: NodeJS.Timeout; dropped: boolean };

/** One channel for each target and credential, kept while it is used now and then (contract/engines#gnoi-result). */
export type Channels = {
  /**
   * Work on the target's channel, which is connected by then.
   *
   * @param ms time that is left
   * @throws ServiceError when no connection comes about; what the work throws
   */
  use: <Value>(target: GnoiTarget, signal: AbortSignal, ms: number, work: Use<Value>) => Promise<Value>;
  /** Close the target's channel once its calls have ended: the next call gets a new one, and waits for no back-off. */
  drop: (target: GnoiTarget) => void;
};

export function openChannels({ allowNear }: { allowNear: boolean }): Channels {
  const known = new Map<string, Promise<Channel>>();
  const key = randomBytes(32);
  // Keyed, so that what is remembered of a password is of no use elsewhere.
  const keyOf = (target: GnoiTarget) =>
    createHmac('sha256', key).update(JSON.stringify(target)).digest('hex');

  const forget = (id: string, channel: Channel) => {
    channel.dropped = true;
    clearTimeout(channel.timer);
    known.delete(id);
    if (channel.users === 0) channel.client.close();
  };

  const take = async (id: string, target: GnoiTarget): Promise<Channel> => {
    const made = known.get(id) ?? open(target, allowNear);
    known.set(id, made);
    try {
      const channel = await made;
      return channel.dropped ? take(id, target) : channel;
    } catch (error) {
      if (known.get(id) === made) known.delete(id);
      throw error;
    }
  };

  return {
    async use(target, signal, ms, work) {
      const id = keyOf(target);
      const channel = await take(id, target);
      channel.users += 1;
      clearTimeout(channel.timer);
      try {
        await connected(channel.client, target, Math.min(ms, CONNECT_MS), signal);
        return await work(channel.client);
      } finally {
        channel.users -= 1;
        if (channel.users === 0) {
          if (channel.dropped) channel.client.close();
          else channel.timer = setTimeout(() => forget(id, channel), IDLE_MS).unref();
        }
      }
    },
    drop(target) {
      const id = keyOf(target);
      known.get(id)?.then(
        (channel) => channel.dropped || forget(id, channel),
        () => undefined,
      );
    },
  };
}

/** Several callers may wait for it: it does not end with one of them. */
async function open(target: GnoiTarget, allowNear: boolean): Promise<Channel> {
  const secure = securityOf(target);
  const limit = AbortSignal.timeout(CONNECT_MS);
  const address = await addressOf(target, { allowNear, signal: limit }).catch((error: Error) => {
    if (limit.aborted) throw tooSlow(target, 'connect', CONNECT_MS);
    throw connectionFailed(target, error, 'connect');
  });
  const at = isIPv6(address) ? `ipv6:[${address}]` : `ipv4:${address}`;
  const client = new Client(`${at}:${target.port}`, secure, optionsOf(target));
  return { client, users: 0, dropped: false };
}

function securityOf(target: GnoiTarget) {
  const { enabled, ca, cert, key, skipVerify } = target.tls;
  if (!enabled) return credentials.createInsecure();
  if ((cert === '') !== (key === '')) {
    throw tlsFailed(target, `the ${cert === '' ? 'certificate' : 'private key'} of the client is missing`);
  }
  try {
    const context = createSecureContext({ ...(ca && { ca }), ...(cert && { cert, key }) });
    return credentials.createFromSecureContext(context, { rejectUnauthorized: !skipVerify });
  } catch {
    throw tlsFailed(target, 'the certificates or the key of the host cannot be read as PEM text');
  }
}

function optionsOf({ host, port, tls }: GnoiTarget): ChannelOptions {
  const name = tls.serverName || (isIP(host) ? '' : host);
  return {
    // The address was checked: nothing may stand in between, and nothing may resolve again.
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.default_authority': `${isIPv6(host) ? `[${host}]` : host}:${port}`,
    // An address is no name that TLS could ask for.
    ...(tls.enabled && name && { 'grpc.ssl_target_name_override': name }),
    'grpc.initial_reconnect_backoff_ms': 500,
    'grpc.max_reconnect_backoff_ms': 5000,
    'grpc.keepalive_time_ms': 60_000,
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': MESSAGE,
  };
}

/** When the channel is connected, or known not to come about: then the call itself tells why. */
async function connected(client: Client, target: GnoiTarget, ms: number, signal: AbortSignal): Promise<void> {
  const channel = client.getChannel();
  const until = Date.now() + ms;
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY || state === connectivityState.TRANSIENT_FAILURE) return;
    const changed = new Promise<boolean>((resolve) => {
      channel.watchConnectivityState(state, until, (error) => resolve(error === undefined));
      signal.addEventListener('abort', () => resolve(true), { once: true });
    });
    if (!(await changed)) throw tooSlow(target, 'connect', ms);
    if (signal.aborted) return;
  }
}
