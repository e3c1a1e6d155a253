import { isDeepStrictEqual } from 'node:util';
import type { GatewayHost, NewHost } from '#db/schemas/network/gateway-host.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { managedFields } from '../inventory/hosts.service.ts';
import type { SourceHost } from './source-record.ts';

/** A stored host as its source wants it, and the fields in which that differs from what is stored. */
export type MergedHost = { host: NewHost; managed: Record<string, unknown>; fields: string[] };

/**
 * Returns a host with the fields of its source. Tags and custom fields that the source does not have stay; those that it
 * no longer has go.
 *
 * @param stored the host as it is stored; undefined for a new one
 */
export function merged(source: string, given: SourceHost, stored: GatewayHost | undefined): MergedHost {
  const { name, host, port, device_type, site, tags, custom, credential } = given;
  const own = { host, ...(port && { port }), ...(device_type && { device_type }), ...(site && { site }) };
  const before: Record<string, unknown> = { ...stored };
  const oldTags = Array.isArray(before.sourceTags) ? before.sourceTags : [];
  const kept = (stored?.tags ?? []).filter((tag) => !oldTags.includes(tag) || tags.includes(tag));
  const oldCustom = isObject(before.custom) ? before.custom : {};
  const dropped = (Array.isArray(before.sourceFields) ? before.sourceFields : [])
    .flatMap((field) => /^custom\.(.*)$/s.exec(String(field))?.[1] ?? [])
    .filter((field) => !(field in custom));
  const keptCustom = Object.fromEntries(
    Object.entries(oldCustom).filter(([field]) => !dropped.includes(field)),
  );
  const nextCustom = { ...keptCustom, ...custom };
  const fields = {
    ...own,
    tags: [...new Set([...kept, ...tags])],
    ...(Object.keys(nextCustom).length > 0 || stored?.custom ? { custom: nextCustom } : {}),
  };
  const managed = {
    source,
    // In an order of their own: a batch of a run that was stored has its custom fields in another one than the source.
    sourceFields: [
      ...Object.keys(own),
      ...Object.keys(custom)
        .sort()
        .map((field) => `custom.${field}`),
    ],
    sourceTags: tags,
    ...(stored && before.missingSince ? { missingSince: null } : {}),
  };
  const changed = stored
    ? Object.entries({ ...fields, ...managed })
        .filter(([field, value]) => !isDeepStrictEqual(before[field] ?? null, value ?? null))
        .map(([field]) => field)
    : ['name'];
  const document = { ...stored, name, ...(!stored && credential !== undefined && { credential }), ...fields };
  if (stored && changed.includes('device_type')) delete document.ostype;
  return { host: document as NewHost, managed: { ...managedFields(before), ...managed }, fields: changed };
}
