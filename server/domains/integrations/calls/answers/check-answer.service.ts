import type { IntegrationConnection } from '#db/schemas/network/integration-connection.ts';
import { JsonTooLarge } from '#server/kernel/calculations/outside-json.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import type { HttpAnswer } from '#server/southbound/http/ports.ts';
import type { ApiOperation } from '../../api-operation.ts';
import { noAnswer, unexpectedAnswer } from '../failures.ts';
import type { OpenIntegration } from '../integration.service.ts';
import { originOf } from '../target.ts';
import { bodyIssues } from '../value-checks.service.ts';
import { answerFault, isShownStatus, promisedTypes } from './documented-answers.ts';
import { type ReadBody, readBody } from './read-body.service.ts';

/** Most characters of an answer that an error shows. */
const SHOWN = 300;
/** Most issues of an answer that an error lists. */
const MOST_ISSUES = 20;

/**
 * Reads the body of an answer, and compares it with what the document promises: its media type always, its schema where
 * the connection says `validate: "strict"`.
 *
 * @param maxValues values that JSON may consist of
 * @returns the body as a value, and how many values it consists of (`readBody`)
 * @throws ServiceError BAD_GATEWAY with the reason UNEXPECTED_ANSWER, which shows the answer and what was promised; with
 *   OUTPUT_LIMIT when it cannot be parsed within the limits
 */
export async function checkedBody(
  { db }: Pick<SystemContext, 'db'>,
  integration: OpenIntegration,
  operation: ApiOperation,
  { status, headers, bytes }: HttpAnswer,
  maxValues: number,
): Promise<Pick<ReadBody, 'body' | 'values'>> {
  const { name, connection, row } = integration;
  const where = { adapter: name, host: hostOf(connection), stage: 'request' as const };
  const mediaType = headers['content-type'] ?? '';
  const read = await readBody(bytes, status, mediaType, maxValues).catch((error: unknown) => {
    if (!(error instanceof JsonTooLarge)) throw error;
    throw noAnswer(where, 'OUTPUT_LIMIT', `the response is too large: ${error.message}`);
  });
  const { body } = read;
  const promised = promisedTypes(operation, status) ?? [];
  const rejected = (what: string, issues: readonly Issue[] = []) => {
    const beginning = beginningOf(bytes, connection);
    const promise = `${operation.name} promises ${promised.join(' or ')} for status ${status}`;
    const about = { status, promised, received: { contentType: mediaType, beginning } };
    return unexpectedAnswer(where, `${promise}, but the answer ${what}: ${beginning}`, about, issues);
  };
  const fault = answerFault(operation, { status, mediaType, ...read });
  if (fault) throw rejected(fault);
  if (connection.validate !== 'strict' || status >= 300 || !isShownStatus(operation, status)) return read;
  if (body === null || typeof body === 'string' || isBytes(body)) return read;
  const issues = await bodyIssues(db, row.doc.properties.type, operation, body);
  if (issues.length === 0) return read;
  const [first] = issues;
  const place = ['body', ...(first?.path ?? [])].join('.');
  throw rejected(
    `does not meet its schema (${place} ${first?.message})`,
    issues.slice(0, MOST_ISSUES).map((issue) => ({ ...issue, path: ['response', 'body', ...issue.path] })),
  );
}

const isBytes = (body: unknown): boolean =>
  isObject(body) && typeof body.base64 === 'string' && 'size' in body;

const hostOf = (connection: IntegrationConnection): string => {
  const origin = originOf(connection);
  return origin === null ? '' : new URL(origin).hostname;
};

/** Returns the beginning of an answer on one line, without the credentials of the connection and those it may repeat. */
function beginningOf(bytes: Buffer, { authentication = {}, tls }: IntegrationConnection): string {
  // A secret is masked before the text is shortened: what is cut would not be recognized.
  const text = bytes.subarray(0, 64 * SHOWN).toString('utf8');
  const masked = [...Object.values(authentication), { key: tls?.key }]
    .reduce((shown, one) => maskOf(one)(shown), text)
    .replace(/\b(Bearer|Basic|Token)\s+[\w.~+/=-]{8,}/gi, '$1 ********')
    .replace(/\s+/g, ' ')
    .trim();
  return masked.length > SHOWN ? `${masked.slice(0, SHOWN)}…` : masked;
}

/** Returns a function that masks the texts of a credential, in every form in which requests carry them. */
const maskOf = (credential: Readonly<Record<string, unknown>>) =>
  secretMask(textsIn(credential), typeof credential.username === 'string' ? credential.username : '');

/** Returns the texts within a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
