import { createHmac, randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  connectivityState,
  credentials,
} from '@grpc/grpc-js';
import { addressOf } from './address.ts';
import { connectionFailed, tlsFailed, tooSlow } from './failures.ts';
import type { GnoiTarget } from './ports.ts';

/** Idle time in milliseconds after which a channel is closed. */
const IDLE_MS = 5 * 60_000;

/** Time to establish a connection, in milliseconds. */
const CONNECT_MS = 10_000;

/**
 * Interval between pings while a call runs, in milliseconds. Servers accept one in five minutes and end connections with
 * more, so that a trace over silent hops would end after four minutes (gRPC proposal A8).
 */
const PING_MS = 310_000;

/** Maximum size of one message in bytes; a probe has a few hundred. */
const MESSAGE = 256 * 1024;

/** A function that uses an open channel. */
type Use<Value> = (client: Client) => Promise<Value>;

type Channel = { client: Client; users: number; timer?: NodeJS.Timeout; dropped: boolean };

/** One channel per target and credential, kept open while it is in use (contract/engines#gnoi-result). */
export type Channels = {
  /**
   * Runs `work` on the target's connected channel.
   *
   * @param ms remaining time
   * @throws ServiceError when the connection fails; any error of `work`
   */
  use: <Value>(target: GnoiTarget, signal: AbortSignal, ms: number, work: Use<Value>) => Promise<Value>;
  /** Closes the target's channel after its calls have ended; the next call opens a new one without back-off. */
  drop: (target: GnoiTarget) => void;
};

/**
 * Opens no channel yet: each is opened by the first call that uses it.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 */
export function openChannels({ allowPrivateTargets }: { allowPrivateTargets: boolean }): Channels {
  const known = new Map<string, Promise<Channel>>();
  const key = randomBytes(32);
  // Keyed with a random key, so that the stored digest of a password is useless elsewhere.
  const keyOf = (target: GnoiTarget) =>
    createHmac('sha256', key).update(JSON.stringify(target)).digest('hex');

  const forget = (id: string, channel: Channel) => {
    channel.dropped = true;
    clearTimeout(channel.timer);
    known.delete(id);
    if (channel.users === 0) channel.client.close();
  };

  const take = async (id: string, target: GnoiTarget): Promise<Channel> => {
    const made = known.get(id) ?? open(target, allowPrivateTargets);
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

/** Opens a channel. Several callers may wait for it, so it is not cancelled with any one of them. */
async function open(target: GnoiTarget, allowPrivateTargets: boolean): Promise<Channel> {
  const secure = securityOf(target);
  const limit = AbortSignal.timeout(CONNECT_MS);
  const address = await addressOf(target, { allowPrivateTargets, signal: limit }).catch((error: Error) => {
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
    const verified = credentials.createFromSecureContext(context, { rejectUnauthorized: !skipVerify });
    return isIP(nameOf(target)) ? withoutServerName(verified) : verified;
  } catch {
    throw tlsFailed(target, 'the certificates or the key of the host cannot be read as PEM text');
  }
}

/** Returns the name or address that the certificate of a target is for. */
const nameOf = ({ host, tls }: GnoiTarget): string => tls.serverName || host;

/**
 * Makes credentials send no server name: the library sends addresses as names, which RFC 6066 forbids and Node 26 rejects.
 * It has no option for this, and its version is pinned.
 */
function withoutServerName(secure: ChannelCredentials): ChannelCredentials {
  const create = secure._createSecureConnector.bind(secure);
  secure._createSecureConnector = (...parameters) => {
    const connector = create(...parameters);
    const { connectionOptions } = connector as unknown as { connectionOptions: ConnectionOptions };
    delete connectionOptions.servername;
    return connector;
  };
  return secure;
}

function optionsOf(target: GnoiTarget): ChannelOptions {
  const { host, port, tls } = target;
  return {
    // The address was checked: no proxy and no second resolution may replace it.
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.default_authority': `${isIPv6(host) ? `[${host}]` : host}:${port}`,
    ...(tls.enabled && { 'grpc.ssl_target_name_override': nameOf(target) }),
    'grpc.initial_reconnect_backoff_ms': 500,
    'grpc.max_reconnect_backoff_ms': 5000,
    'grpc.keepalive_time_ms': PING_MS,
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': MESSAGE,
  };
}

/** Waits until the channel is connected or has failed; in the latter case the call itself reports the cause. */
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
