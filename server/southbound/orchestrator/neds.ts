import type { Ned } from '#db/schemas/network/ned.ts';
import { textOrEmpty } from '#server/kernel/json/objects.ts';
import { fieldNamed } from './error-body.ts';

const KINDS = ['cli', 'netconf', 'generic', 'snmp'] as const;

/**
 * Returns the list in a response, bare or in its containers (`packages`, `collection`), with or without module prefix.
 *
 * @param content of the response, parsed
 */
export function listIn(content: unknown, ...names: readonly string[]): unknown[] {
  if (Array.isArray(content)) return content;
  for (const name of names) {
    const found = fieldNamed(content, name);
    if (found !== undefined && found !== null) return listIn(found, ...names);
  }
  // A single entry may come without its list.
  return typeof content === 'object' && content !== null && fieldNamed(content, 'name') ? [content] : [];
}

/**
 * Returns the device drivers among an orchestrator's packages, one row per id (contract/resources#2.12).
 *
 * @param content of the response, parsed
 * @param host of the orchestrator, which each row names
 */
export function nedsOf(content: unknown, host: string): Ned[] {
  const rows = listIn(content, 'packages', 'collection', 'package').flatMap((entry) => {
    const name = textOrEmpty(fieldNamed(entry, 'name'));
    const version = textOrEmpty(fieldNamed(entry, 'package-version'));
    const components = fieldNamed(entry, 'component');
    const ids = (Array.isArray(components) ? components : [components]).flatMap((component) => {
      const ned = fieldNamed(component, 'ned');
      return KINDS.map((kind) => textOrEmpty(fieldNamed(fieldNamed(ned, kind), 'ned-id'))).filter(Boolean);
    });
    return [...new Set(ids)].map((ned_id) => ({ ned_id, name, version, host }));
  });
  return rows.sort((a, b) => (a.ned_id < b.ned_id ? -1 : 1));
}
