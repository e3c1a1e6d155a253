import { createHmac } from 'node:crypto';
import type { NotificationChannel } from '#db/schemas/notifications/channel.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import { printable } from '#server/kernel/observability/printable.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { PAGERDUTY_URL, portOf, targetOf } from '../channels/channel-rules.ts';
import { withoutSecrets } from '../channels/channel-secrets.ts';
import { askedDelayS } from './backoff.ts';
import { mailOf, pagerDutyBody, slackBody, teamsBody, webhookBody } from './formats.ts';
import type { Notification } from './message.ts';

/** Time limits of one attempt in milliseconds. */
const TIMEOUTS = { connect: 10_000, request: 20_000 };
/** Largest answer of a receiver that is read, and how much of it an error shows. */
const MOST_BYTES = 64 * 1024;
const MOST_SHOWN = 300;

/** A receiver did not accept a notification. */
export class NotAccepted extends Error {
  /** Seconds for which it asks to get no further request; 0: it does not ask. */
  readonly waitS: number;
  constructor(message: string, waitS: number) {
    super(message);
    this.waitS = waitS;
  }
}

/** A mail server accepted a notification for some receivers, and may accept it later for the others. */
export class PartlyAccepted extends Error {
  /** Receivers that have it, and must not get it again. */
  readonly acceptedBy: readonly string[];
  constructor(message: string, acceptedBy: readonly string[]) {
    super(message);
    this.acceptedBy = acceptedBy;
  }
}

/**
 * Sends a notification to a channel once.
 *
 * @param channel the channel with its secrets opened
 * @param acceptedBy receivers of a mail that have it already
 * @returns which receivers of a mail were rejected for good while others got it; null: none
 * @throws NotAccepted when the receiver answers so; PartlyAccepted when some receivers of a mail may get it later; Error when it cannot be reached. The message may repeat secrets
 *   (`failureText`)
 */
export async function sendTo(
  { platform }: Uses<'http' | 'mail' | 'config'>,
  channel: NotificationChannel,
  notification: Notification,
  signal: AbortSignal,
  acceptedBy: readonly string[] = [],
): Promise<string | null> {
  if (channel.type === 'smtp') return sendMail(platform, channel, notification, signal, acceptedBy);
  const { url, body, headers } = requestOf(channel, notification);
  const answer = await platform.http.send(
    {
      adapter: targetOf(channel),
      tls: channel.tls ?? {},
      timeouts: TIMEOUTS,
      connectionKey: connectionKey(channel),
    },
    {
      method: 'POST',
      url: new URL(url),
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Switchyard',
        'X-Switchyard-Delivery': notification.id,
        ...headers,
      },
      body,
    },
    { signal, maxBytes: MOST_BYTES, truncate: true },
  );
  if (answer.status >= 200 && answer.status < 300) return null;
  const text = answer.bytes.toString('utf8').replace(/\s+/g, ' ').trim();
  const isRedirect = answer.status >= 300 && answer.status < 400;
  throw new NotAccepted(
    `answered ${answer.status}${isRedirect ? ', a redirect, which is not followed' : ''}${text === '' ? '' : `: ${text}`}`,
    askedDelayS(answer.status, answer.headers, Date.now()),
  );
}

/** Connections are shared by what is sent to one channel in one version. */
const connectionKey = ({ _id, lastUpdated }: NotificationChannel) => `notification ${_id} ${lastUpdated}`;

function requestOf(channel: NotificationChannel, notification: Notification) {
  const { type, url, secret, token, webhookUrl, routingKey } = channel;
  const to = webhookUrl ?? url ?? PAGERDUTY_URL;
  if (type === 'slack') return { url: to, body: slackBody(notification), headers: {} };
  if (type === 'teams') return { url: to, body: teamsBody(notification), headers: {} };
  if (type === 'pagerduty')
    return { url: url ?? PAGERDUTY_URL, body: pagerDutyBody(notification, routingKey ?? ''), headers: {} };
  const body = webhookBody(notification);
  const signature = createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex');
  return {
    url: to,
    body,
    headers: {
      'X-Switchyard-Signature': `sha256=${signature}`,
      ...(token && { Authorization: `Bearer ${token}` }),
    },
  };
}

async function sendMail(
  { mail, config }: Pick<Platform, 'mail' | 'config'>,
  channel: NotificationChannel,
  notification: Notification,
  signal: AbortSignal,
  acceptedBy: readonly string[],
): Promise<string | null> {
  const to = (channel.to ?? []).filter((address) => !acceptedBy.includes(address));
  // The channel was changed since: those that remain have it.
  if (to.length === 0) return null;
  const rejected = await mail.send(
    {
      host: channel.host ?? '',
      port: portOf(channel),
      security: channel.security ?? 'starttls',
      username: channel.username,
      password: channel.password ?? undefined,
      tls: channel.tls ?? {},
    },
    {
      id: notification.id,
      from: channel.from ?? '',
      to,
      ...mailOf(notification, config.publicUrl),
      headers: { 'X-Switchyard-Delivery': notification.id },
    },
    signal,
  );
  const [first] = rejected;
  if (!first) return null;
  const text = `${rejected.length} of ${to.length} receivers were rejected, ${first.address} with ${first.reason}`;
  if (!rejected.some(({ isTemporary }) => isTemporary)) return text;
  const isRejected = new Set(rejected.map(({ address }) => address));
  throw new PartlyAccepted(text, [...acceptedBy, ...to.filter((address) => !isRejected.has(address))]);
}

/**
 * Returns why an attempt failed, without the secrets of the channel.
 *
 * @param error what `sendTo` threw
 * @returns at most 300 characters, none of which is a control character: a receiver may answer anything
 */
export function failureText(error: unknown, channel: NotificationChannel): string {
  const text = error instanceof Error ? error.message : 'the attempt failed';
  // Masked before it is cut: half a secret would not be recognized.
  const masked = withoutSecrets(text, channel);
  const shown = printable(masked, MOST_SHOWN - 1);
  return masked.length > MOST_SHOWN ? `${shown}…` : printable(masked, MOST_SHOWN);
}
