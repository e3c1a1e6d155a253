import type {
  NotificationChannel,
  NotificationChannelInput,
  NotificationChannelUpdates,
} from '#db/schemas/notifications/channel.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { isReference } from '#server/kernel/secrets/references.ts';
import { type SecretFields, SHOWN } from '#server/kernel/secrets/secret-fields.ts';
import { isSet } from '#server/kernel/secrets/secret-names.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { issue } from '#server/kernel/validation/document-issues.ts';

/** The fields of a channel that are sealed. */
export const CHANNEL_SECRETS: SecretFields<'secret' | 'token' | 'webhookUrl' | 'routingKey' | 'password'> = {
  table: 'notification_channels',
  fields: ['secret', 'token', 'webhookUrl', 'routingKey', 'password'],
  path: ['channel'],
};

/** The URL that PagerDuty accepts events at. */
export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

const SMTP = ['host', 'port', 'security', 'username', 'password', 'from', 'to'] as const;

/** The fields that each type has, besides those of every channel. */
const FIELDS: Readonly<Record<NotificationChannelInput['type'], readonly string[]>> = {
  smtp: [...SMTP, 'tls'],
  webhook: ['url', 'secret', 'token', 'tls'],
  slack: ['webhookUrl', 'tls'],
  teams: ['webhookUrl', 'tls'],
  pagerduty: ['url', 'routingKey', 'tls'],
};

const REQUIRED: Readonly<Record<NotificationChannelInput['type'], readonly string[]>> = {
  smtp: ['host', 'from', 'to'],
  webhook: ['url', 'secret'],
  slack: ['webhookUrl'],
  teams: ['webhookUrl'],
  pagerduty: ['routingKey'],
};

const EVERY = ['name', 'type', 'enabled', 'retry'];

/** Shortest key of a signature. */
const SHORTEST_KEY = 16;

/** A channel with its secrets in plain text, or masks for those that stay as stored. */
export type PlainChannel = NotificationChannelInput;

/**
 * Returns everything that is wrong with a channel, each issue with its field.
 *
 * @param channel the channel as it would be stored
 * @param given the fields of the request: only those are reported as superfluous
 */
export function channelIssues(
  channel: PlainChannel,
  given: NotificationChannelInput | NotificationChannelUpdates,
  allowPrivateTargets: boolean,
): Issue[] {
  const { type } = channel;
  const known = new Set([...EVERY, ...FIELDS[type]]);
  const superfluous = Object.entries(given).flatMap(([field, value]) =>
    known.has(field) || value === undefined || value === null
      ? []
      : [
          issue(
            ['channel', field],
            `is not a field of a channel of type ${type}, which has ${FIELDS[type].join(', ')}`,
          ),
        ],
  );
  const missing = REQUIRED[type].flatMap((field) => {
    const value = channel[field as keyof PlainChannel];
    return isSet(value) && !(Array.isArray(value) && value.length === 0)
      ? []
      : [issue(['channel', field], `is required for a channel of type ${type}`, 'required')];
  });
  return [...superfluous, ...missing, ...valueIssues(channel, known, allowPrivateTargets)];
}

function valueIssues(
  channel: PlainChannel,
  known: ReadonlySet<string>,
  allowPrivateTargets: boolean,
): Issue[] {
  const { type, host, from, to = [], secret, username, password } = channel;
  const issues: Issue[] = [];
  for (const field of ['url', 'webhookUrl'] as const) {
    const url = channel[field];
    if (!known.has(field) || !isSet(url) || url === SHOWN) continue;
    const fault = urlFault(String(url), allowPrivateTargets);
    if (fault) issues.push(issue(['channel', field], fault));
  }
  if (
    type === 'webhook' &&
    isSet(secret) &&
    secret !== SHOWN &&
    !isReference(secret) &&
    String(secret).length < SHORTEST_KEY
  )
    issues.push(issue(['channel', 'secret'], `must have at least ${SHORTEST_KEY} characters`));
  if (type !== 'smtp') return issues;
  const fault = host === undefined ? null : hostFault(host, allowPrivateTargets);
  if (fault) issues.push(issue(['channel', 'host'], fault));
  if (from !== undefined && !isAddress(from))
    issues.push(issue(['channel', 'from'], 'must be a mail address'));
  for (const [at, address] of to.entries()) {
    if (!isAddress(address)) issues.push(issue(['channel', 'to', at], 'must be a mail address'));
  }
  if (isSet(password) && !username)
    issues.push(issue(['channel', 'username'], 'is required with a password', 'required'));
  return issues;
}

/** Returns why a text cannot be the URL of a receiver; null when it can. The text is not repeated: it may be a secret. */
function urlFault(text: string, allowPrivateTargets: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'must be a URL that begins with https:// or http://';
  if (url.username || url.password) return 'must not contain a credential';
  if (url.hash) return 'must not contain a fragment';
  return hostFault(url.hostname.replace(/^\[|\]$/g, ''), allowPrivateTargets);
}

const isAddress = (text: string) => /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text);

/**
 * Returns where a channel sends to, without secrets: the host and port, with the scheme.
 *
 * @param channel with opened or masked secrets
 * @returns an origin such as `https://hooks.example.net`; of mail, `smtp://host:port`
 */
export function targetOf(channel: PlainChannel): string {
  if (channel.type === 'smtp') return `smtp://${channel.host}:${portOf(channel)}`;
  const url = new URL(channel.webhookUrl || channel.url || PAGERDUTY_URL);
  return url.origin;
}

/**
 * Returns the port of a mail server.
 *
 * @returns the port that is set; otherwise 465 for TLS and 587
 */
export const portOf = ({ port, security }: Pick<NotificationChannel, 'port' | 'security'>): number =>
  port ?? (security === 'tls' ? 465 : 587);
