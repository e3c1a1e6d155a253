import type { Inputs, Outputs } from '~/api/client.ts';
import { jsonText } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { wordsIn } from '~/ui/inputs/lines.ts';

/** A device as its inventory stores it, with masks in place of its secrets. */
export type Host = Outputs['automationgateway']['getHost'];
type HostChange = Inputs['automationgateway']['updateHost']['updates'];

/** The secrets of a device, in the order of their fields. */
export const SECRET_FIELDS = ['password', 'privateKey', 'enablePassword'] as const;
export type SecretField = (typeof SECRET_FIELDS)[number];

/** How a device is signed in to, while it is edited. */
export type LoginDraft = Record<SecretField, string> & {
  /** Name of a credential; empty: a login of its own. */
  credential: string;
  username: string;
  /** Stored secrets that are removed. */
  removed: readonly SecretField[];
};

export const NO_LOGIN: LoginDraft = {
  credential: '',
  username: '',
  password: '',
  privateKey: '',
  enablePassword: '',
  removed: [],
};

/** A device while it is edited. */
type HostDraft = LoginDraft & {
  host: string;
  port: string;
  type: string;
  tags: string;
  site: string;
  /** The custom fields that no source manages, as a JSON object. */
  custom: string;
  jumpHost: string;
  hasLegacyAlgorithms: boolean;
};

const REFERENCE = '$SECRET_';

/** Returns the reference to a secret in another system that a field stores, which is no secret itself; else an empty text. */
const referenceIn = (value: unknown): string =>
  typeof value === 'string' && value.startsWith(REFERENCE) ? value : '';

/** Returns the fields of a device that its source manages: a change to them by others is rejected. */
export const managedFieldsOf = (host: Host): ReadonlySet<string> =>
  new Set(host.source ? host.sourceFields : []);

/** Returns the value of a custom field as text: a text as it is, anything else as JSON. */
export const customText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const isManaged = (host: Host, field: string) => managedFieldsOf(host).has(`custom.${field}`);

/** Returns the custom fields of a device that its source manages, or the others. */
export const customFieldsOf = (host: Host, areManaged: boolean): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(host.custom ?? {}).filter(([field]) => isManaged(host, field) === areManaged),
  );

/** Returns what the form shows of a device. */
export function hostDraftOf(host: Host): HostDraft {
  const custom = customFieldsOf(host, false);
  return {
    host: host.host,
    port: String(host.port ?? ''),
    type: String(host.device_type ?? ''),
    credential: host.credential ?? '',
    username: host.username ?? '',
    password: referenceIn(host.password),
    privateKey: referenceIn(host.privateKey),
    enablePassword: referenceIn(host.enablePassword),
    removed: [],
    tags: (host.tags ?? []).join(', '),
    site: host.site ?? '',
    custom: jsonText(custom),
    jumpHost: host.options?.jumpHost ?? '',
    hasLegacyAlgorithms: host.options?.legacyAlgorithms === true,
  };
}

/** Returns the stored secrets that a new address requires again: they are never sent to another address. */
export function secretsToRepeat(before: HostDraft, after: HostDraft, host: Host): SecretField[] {
  const isSame = before.host === after.host.trim() && before.port === after.port;
  if (isSame || after.credential !== '') return [];
  return SECRET_FIELDS.filter(
    (field) =>
      host[field] && !referenceIn(host[field]) && after[field] === '' && !after.removed.includes(field),
  );
}

/**
 * Returns what a form changes in the device with which it was opened. Fields that stay are left out, so that what others
 * change in them meanwhile stays as well.
 *
 * @returns undefined while a field is missing or unreadable
 */
export function hostChangeOf(before: HostDraft, after: HostDraft, host: Host): HostChange | undefined {
  const custom = parseObject(after.custom);
  if (after.host.trim() === '' || after.port === '' || custom.value === undefined) return undefined;
  if (secretsToRepeat(before, after, host).length > 0) return undefined;
  const change: HostChange = {};
  if (after.host.trim() !== before.host) change.host = after.host.trim();
  if (after.port !== before.port) change.port = Number(after.port);
  if (after.type !== before.type) change.device_type = after.type;
  if (after.tags !== before.tags) change.tags = wordsIn(after.tags);
  if (after.site !== before.site) change.site = after.site.trim() || null;
  const options = {
    ...(after.jumpHost !== before.jumpHost && { jumpHost: after.jumpHost.trim() || null }),
    ...(after.hasLegacyAlgorithms !== before.hasLegacyAlgorithms && {
      legacyAlgorithms: after.hasLegacyAlgorithms,
    }),
  };
  if (Object.keys(options).length > 0) change.options = options;
  const customChange = customChangeOf(customFieldsOf(host, false), custom.value);
  if (Object.keys(customChange).length > 0) change.custom = customChange;
  return { ...change, ...loginChangeOf(before, after, host) };
}

/** Returns the custom fields that are new or different, and null for those that are removed. */
function customChangeOf(before: Record<string, unknown>, after: Record<string, unknown>) {
  const isSame = (field: string) => JSON.stringify(before[field]) === JSON.stringify(after[field]);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    fields.filter((field) => !isSame(field)).map((field) => [field, after[field] ?? null]),
  );
}

function loginChangeOf(before: HostDraft, after: HostDraft, host: Host): HostChange {
  const change: HostChange = {};
  if (after.credential !== before.credential) change.credential = after.credential || null;
  const hasCredential = after.credential !== '';
  const username = hasCredential ? '' : after.username.trim();
  if (username !== (host.username ?? '')) change.username = username || null;
  for (const field of SECRET_FIELDS) {
    const isGone = hasCredential || after.removed.includes(field);
    if (isGone ? host[field] : after[field] !== before[field])
      change[field] = isGone ? null : after[field] || null;
  }
  return change;
}
