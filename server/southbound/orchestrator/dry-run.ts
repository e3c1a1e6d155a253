import { jsonOr } from '#server/kernel/json/json-or.ts';
import type { HttpReply } from '../http/exchange.ts';
import { type FailureLocation, rejectedBy, type Stage } from '../http/failures.ts';
import { errorsOf, fieldNamed, sentenceOf } from './error-body.ts';
import { authFailed, locked } from './failures.ts';
import type { Send } from './http.ts';
import type { Verdict } from './ports.ts';
import { asRestconf, type ServicePlace } from './service-path.ts';

const JSON_TYPE = 'application/yang-data+json';

/**
 * Validates service data by a RESTCONF dry run. An orchestrator that ignores the dry-run flag would commit, so its
 * version is read first and determines the flag; nothing is sent unless a dry run is known to be supported. Afterwards
 * the path is read again and must be unchanged.
 *
 * @param root path of the RESTCONF root on the host
 * @throws ServiceError when it cannot be reached, rejects our credential, is locked, or cannot be shown to support dry
 *   runs
 */
export async function validateByDryRun(
  { adapter, host }: { adapter: string; host: string },
  root: string,
  send: Send,
  { parent, last, data }: ServicePlace,
): Promise<Verdict> {
  const where = (stage: Stage) => ({ adapter, host, stage });
  const read = (path: string) =>
    send({ method: 'GET', path: `${root}/data${path}`, headers: { Accept: JSON_TYPE } });
  const flag = await provenFlag(where('validate'), root, send);
  const place = asRestconf([...parent, last]);
  const before = await read(place);
  const above = parent.at(-1);
  const reply = await send({
    method: 'PATCH',
    path: `${root}/data${asRestconf(parent)}?${flag}`,
    headers: { Accept: JSON_TYPE, 'Content-Type': JSON_TYPE },
    body: JSON.stringify({ [above ? above.name : 'ietf-restconf:data']: data }),
    stage: 'validate',
  });
  const after = await read(place);
  if (after.status !== before.status || after.text !== before.text) {
    throw rejectedBy(
      where('validate'),
      'the data at the service path changed during the dry run: check whether it was committed',
      'DRY_RUN_NOT_HONOURED',
    );
  }
  return verdictOf(reply, where('validate'));
}

/**
 * Returns the query parameter for a dry run, which the version of the orchestrator determines.
 *
 * @param root path of the RESTCONF root on the host
 * @throws ServiceError when the version cannot be read, or supports no dry run
 */
export async function provenFlag(where: FailureLocation, root: string, send: Send): Promise<string> {
  const path = `${root}/data/tailf-ncs-monitoring:ncs-state/version`;
  const version = versionOf(await send({ method: 'GET', path, headers: { Accept: JSON_TYPE } }));
  const flag = version && dryRunFlag(version);
  if (flag) return flag;
  throw rejectedBy(
    where,
    'its version cannot be read or does not support dry runs: nothing was sent, because it could have been committed',
    'DRY_RUN_NOT_PROVEN',
  );
}

/** Returns the verdict in the response to a dry run. @throws ServiceError when it is not one, or nothing was decided */
export function verdictOf(reply: HttpReply, where: FailureLocation): Verdict {
  const content = jsonOr(reply.text, reply.text);
  const result = fieldNamed(content, 'dry-run-result');
  if (reply.status < 300 && result !== undefined) return { isValid: true, message: '', diff: result };
  if (reply.status < 400) {
    throw rejectedBy(
      where,
      `responds to a dry run with ${reply.status} and no result`,
      'DRY_RUN_NOT_HONOURED',
    );
  }
  return rejectionOf(reply, where);
}

/** Returns the verdict in an error response to configuration. @throws ServiceError when nothing was decided */
export function rejectionOf(reply: HttpReply, where: FailureLocation): Verdict {
  const content = jsonOr(reply.text, reply.text);
  const errors = errorsOf(content);
  const message = sentenceOf(errors) || `status ${reply.status}`;
  if (reply.status === 403) throw authFailed(where);
  if (errors.some((error) => /lock-denied|in-use|resource-denied/.test(error['error-tag'] ?? '')))
    throw locked(where, message);
  if (/out of sync/i.test(message)) throw rejectedBy(where, message, 'DEVICE_OUT_OF_SYNC');
  if (reply.status === 400 || reply.status === 404 || reply.status === 409 || reply.status === 412)
    return { isValid: false, message };
  throw rejectedBy(where, message);
}

type Version = { major: number; minor: number };

function versionOf(reply: HttpReply): Version | null {
  const said = reply.status < 300 ? fieldNamed(jsonOr(reply.text, reply.text), 'version') : undefined;
  const [, major, minor] = (typeof said === 'string' && /^(\d{1,3})\.(\d{1,3})/.exec(said)) || [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : null;
}

/** Returns the dry-run query parameter: its own parameter up to version 6.6, one of the commit parameters from 6.7. */
function dryRunFlag({ major, minor }: Version): string | null {
  if (major < 5) return null;
  if (major < 6 || (major === 6 && minor < 7)) return 'dry-run=native';
  const params = Buffer.from(JSON.stringify({ 'dry-run': { outformat: 'native' } })).toString('base64');
  return `params=${encodeURIComponent(params)}`;
}
