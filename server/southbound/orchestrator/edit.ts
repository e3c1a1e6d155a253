import { invalid } from '#server/kernel/errors.ts';
import { isObject, type JsonObject } from '#server/kernel/json/objects.ts';
import { provenFlag, rejectionOf, verdictOf } from './dry-run.ts';
import { fieldNamed } from './error-body.ts';
import type { Send, Wire } from './http.ts';
import { listKeys } from './list-keys.ts';
import type { Edit, EditAction, Verdict } from './ports.ts';
import { asRestconf, type Segment, servicePlace } from './service-path.ts';

type Request = Required<Pick<Wire, 'method' | 'path'>> & { type: string; body?: string };

const JSON_TYPE = 'application/yang-data+json';
const XML_TYPE = 'application/yang-data+xml';
/** RFC 8072 §2.1: several edits in one transaction. */
const PATCH_TYPE = 'application/yang-patch+json';

/** Maximum number of instances in one edit. */
const MOST = 1000;

/**
 * Writes configuration, or tries it with a dry run (`OrchestratorPort.edit`).
 *
 * @param where name of the adapter and its host, for errors
 * @param root path of the RESTCONF root on the host
 * @param dryRun true: the orchestrator validates and commits nothing
 * @throws ServiceError BAD_REQUEST for a path or an instance that names no entry of a list; BAD_GATEWAY and
 *   GATEWAY_TIMEOUT
 */
export async function editConfiguration(
  where: { adapter: string; host: string },
  root: string,
  send: Send,
  edit: Edit,
  dryRun: boolean,
): Promise<Verdict> {
  const at = { ...where, stage: dryRun ? ('validate' as const) : ('request' as const) };
  const request = 'xml' in edit ? xmlRequest(edit.xml) : await instancesRequest(root, send, edit);
  const flag = dryRun ? `?${await provenFlag(at, root, send)}` : '';
  const reply = await send({
    method: request.method,
    path: `${root}${request.path}${flag}`,
    headers: { Accept: JSON_TYPE, ...(request.body !== undefined && { 'Content-Type': request.type }) },
    body: request.body,
    stage: at.stage,
  });
  if (dryRun) return verdictOf(reply, at);
  return reply.status < 300 ? { isValid: true, message: '' } : rejectionOf(reply, at);
}

/** Returns the request that merges an XML document into the datastore, within the element of the datastore (RFC 8040 §3.3.1). */
function xmlRequest(written: string): Request {
  const xml = written.replace(/^\s*<\?xml[^>]*\?>/, '').trim();
  const isWhole = /^<data[\s>]/.test(xml);
  const body = isWhole ? xml : `<data xmlns="urn:ietf:params:xml:ns:yang:ietf-restconf">${xml}</data>`;
  return { method: 'PATCH', path: '/data', type: XML_TYPE, body };
}

/** One instance: its path, and its list with it alone as RESTCONF expects it. */
type Instance = { path: string; name: string; value: unknown };

const METHODS: Record<Exclude<EditAction, 'create'>, string> = {
  merge: 'PATCH',
  replace: 'PUT',
  delete: 'DELETE',
};

async function instancesRequest(
  root: string,
  send: Send,
  { instances, action }: Extract<Edit, { instances: unknown }>,
): Promise<Request> {
  const found: Instance[] = [];
  const keysOf = keysBy(root, send);
  for (const [path, value] of Object.entries(instances)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isObject(one)) throw invalid(['instance', path], 'must be an instance, or a list of them');
      found.push(await instanceOf(keysOf, path, one));
      if (found.length > MOST) throw invalid(['instance'], `holds more than ${MOST} instances`);
    }
  }
  const [first] = found;
  if (!first) throw invalid(['instance'], 'holds no instance: {"/vpn:vpn":[{"name":"blue"}]}');
  if (found.length > 1 || action === 'create') return patchOf(found, action);
  const body = action === 'delete' ? undefined : JSON.stringify({ [first.name]: [first.value] });
  return {
    method: METHODS[action],
    path: `/data${first.path}`,
    type: JSON_TYPE,
    ...(body !== undefined && { body }),
  };
}

/** Returns one request for several edits, which take effect together or not at all. */
const patchOf = (instances: readonly Instance[], operation: EditAction): Request => ({
  method: 'PATCH',
  path: '/data',
  type: PATCH_TYPE,
  body: JSON.stringify({
    'ietf-yang-patch:yang-patch': {
      'patch-id': 'instances',
      edit: instances.map(({ path, name, value }, index) => ({
        'edit-id': String(index + 1),
        operation,
        target: path,
        ...(operation !== 'delete' && { value: { [name]: [value] } }),
      })),
    },
  }),
});

/** Returns an instance with its path: the keys are those of the path, or else fields of the instance. */
async function instanceOf(keysOf: KeysOf, path: string, value: JsonObject): Promise<Instance> {
  const { parent, last, data } = servicePlace(path, value, ['instance', path]);
  const [name = ''] = Object.keys(data);
  const keys = last.keys.length > 0 ? last.keys : await keysOf(path, name, value);
  return { path: asRestconf([...parent, { ...last, keys }]), name, value };
}

type KeysOf = (path: string, name: string, value: JsonObject) => Promise<string[]>;

/** Returns a function that reads the keys of an instance from its fields, and requests the schema of each list once. */
function keysBy(root: string, send: Send): KeysOf {
  const schemas = new Map<string, Promise<string[] | undefined>>();
  return async (path, name, value) => {
    const [module = '', list = ''] = name.includes(':') ? name.split(':') : ['', name];
    const schema = schemas.get(name) ?? listKeys(root, send, { module, list });
    schemas.set(name, schema);
    const keys = await schema;
    if (!keys) {
      throw invalid(
        ['instance', path],
        `names a list whose keys are not known: write the path with them, ${path}{…} or ${path}=…`,
      );
    }
    return keys.map((key) => {
      const found = fieldNamed(value, key);
      if (typeof found === 'string' || typeof found === 'number') return String(found);
      throw invalid(['instance', path, key], 'is a key of the list and must be set');
    });
  };
}

/**
 * Returns the RESTCONF path of an entry of a list.
 *
 * @param path RESTCONF path or keypath of the list
 * @param keys values of its keys, in the order of the YANG model; empty: the path names the entry
 * @throws ServiceError BAD_REQUEST
 */
export function entryPath(path: string, keys: readonly string[]): string {
  const { parent, last } = servicePlace(path, {}, ['model']);
  const segments: Segment[] = [...parent, keys.length > 0 ? { ...last, keys: [...keys] } : last];
  return `/data${asRestconf(segments)}`;
}
