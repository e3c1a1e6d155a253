import type { NotificationChannel } from '#db/schemas/notifications/channel.ts';
import type { SecretResolver } from '#server/kernel/secrets/resolver.ts';
import { openedFields } from '#server/kernel/secrets/secret-fields.ts';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { CHANNEL_SECRETS, type PlainChannel } from './channel-rules.ts';

/**
 * Returns a channel with its secrets opened.
 *
 * @param secrets its sealed secrets by field
 * @returns a copy with secrets, or references to them; it must not be stored or answered
 */
export const openedChannel = (
  vault: Pick<Vault, 'open'>,
  channel: NotificationChannel,
  secrets: Readonly<Record<string, string>>,
): NotificationChannel => ({ ...channel, ...openedFields(CHANNEL_SECRETS, vault, channel._id, secrets) });

/**
 * Returns a channel with its references replaced by the secrets. Only secrets may refer: an address that another system names
 * would escape the check of addresses.
 *
 * @throws ServiceError as `SecretResolver.resolve`
 */
export async function resolvedChannel(
  secrets: Pick<SecretResolver, 'resolve'>,
  channel: NotificationChannel,
): Promise<NotificationChannel> {
  const given = Object.fromEntries(CHANNEL_SECRETS.fields.map((field) => [field, channel[field]]));
  const use = { kind: 'notification_channels', name: channel.name, account: null };
  const resolved = await secrets.resolve(given, use);
  const set = Object.entries(resolved).filter(([, value]) => value !== undefined);
  return { ...channel, ...Object.fromEntries(set) };
}

/**
 * Returns a text without the secrets of a channel, in any form in which a receiver may repeat them.
 *
 * @param text an answer of a receiver, or the message of a failure
 * @returns the text with `********` in their places
 */
export function withoutSecrets(text: string, channel: PlainChannel): string {
  const secrets = CHANNEL_SECRETS.fields.flatMap((field) => channel[field] ?? []);
  return secretMask(secrets, channel.username ?? undefined)(text);
}
