import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { fieldNamed } from './error-body.ts';
import type { Send } from './http.ts';

const MODULES = '/data/ietf-yang-library:modules-state/module?fields=name;revision;schema';

/**
 * Returns the names of the keys of a list, in order, from the YANG text of its module, which the orchestrator offers for
 * download (RFC 8040 §3.7, RFC 7895); undefined when it does not, or the text has no such list.
 *
 * @param root path of the RESTCONF root on the host
 */
export async function listKeys(
  root: string,
  send: Send,
  { module, list }: { module: string; list: string },
): Promise<string[] | undefined> {
  const library = await send({
    method: 'GET',
    path: `${root}${MODULES}`,
    headers: { Accept: 'application/yang-data+json' },
  });
  const path = library.status < 300 ? schemaPath(jsonOr(library.text, null), module, root) : null;
  if (path === null) return undefined;
  const schema = await send({ method: 'GET', path, headers: { Accept: 'application/yang' } });
  return schema.status < 300 ? keysIn(schema.text, list) : undefined;
}

/** Returns the path of a module's text on the same host; null when it is not below the RESTCONF root. */
function schemaPath(library: unknown, module: string, root: string): string | null {
  const listed = fieldNamed(library, 'module');
  const found = (Array.isArray(listed) ? listed : []).find((one) => isObject(one) && one.name === module);
  const url: unknown = isObject(found) ? found.schema : undefined;
  if (typeof url !== 'string' || !URL.canParse(url, 'http://host')) return null;
  const { pathname, search } = new URL(url, 'http://host');
  return pathname.startsWith(`${root}/`) ? `${pathname}${search}` : null;
}

/**
 * Returns the argument of the first `key` statement after `list NAME {` (RFC 7950 §7.8.2).
 *
 * @param yang text of a YANG module
 * @param list name of the list, without prefix
 */
export function keysIn(yang: string, list: string): string[] | undefined {
  const name = list.replaceAll('.', '\\.');
  const at = yang.search(new RegExp(`(?:^|[\\s;{}])list\\s+(?:"${name}"|${name})\\s*\\{`));
  if (at < 0) return undefined;
  const [, quoted, bare] =
    /[\s;{}]key\s+(?:["']([^"']{1,1000})["']|([\w.:-]{1,200}))\s*;/.exec(yang.slice(at)) ?? [];
  const keys = (quoted ?? bare ?? '').split(/\s+/).filter(Boolean);
  return keys.length > 0 ? keys.map((key) => key.split(':').at(-1) ?? key) : undefined;
}
