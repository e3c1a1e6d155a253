import { textOrEmpty } from '#server/kernel/json/objects.ts';
import { fieldNamed } from './error-body.ts';
import { listIn } from './neds.ts';
import type { KnownDevice } from './ports.ts';

const KINDS = ['cli', 'netconf', 'generic', 'snmp'] as const;

/**
 * Returns the devices in an orchestrator's response, one per name; entries without a name are skipped.
 *
 * @param content of the response, parsed
 */
export function devicesOf(content: unknown): KnownDevice[] {
  const found = new Map<string, KnownDevice>();
  for (const entry of listIn(content, 'devices', 'collection', 'device')) {
    const name = textOrEmpty(fieldNamed(entry, 'name'));
    if (name === '') continue;
    const port = Number(fieldNamed(entry, 'port'));
    const type = fieldNamed(entry, 'device-type');
    found.set(name, {
      name,
      address: textOrEmpty(fieldNamed(entry, 'address')),
      port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : null,
      nedId:
        KINDS.map((kind) => textOrEmpty(fieldNamed(fieldNamed(type, kind), 'ned-id'))).find(Boolean) ?? '',
      platform: textOrEmpty(fieldNamed(fieldNamed(entry, 'platform'), 'name')),
    });
  }
  return [...found.values()];
}
