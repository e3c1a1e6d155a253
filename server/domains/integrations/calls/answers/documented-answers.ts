import type { ApiOperation } from '../../api-operation.ts';
import { covers, essenceOf, isJsonType } from '../request/media-types.ts';

type DocumentedAnswers = Pick<ApiOperation, 'answers'>;

/** Statuses whose schema tasks show, in the order in which a document is searched for one (`bundle.ts`). */
const SHOWN = ['200', '201', '202', '2XX', 'default'];

/**
 * Returns the media types that a document promises for a status.
 *
 * @returns undefined where it promises none, or any
 */
export function promisedTypes({ answers }: DocumentedAnswers, status: number): readonly string[] | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  const types = answers?.[String(status)] ?? answers?.[range] ?? answers?.default;
  return types?.some((type) => essenceOf(type) === '*/*') ? undefined : types;
}

/** Returns whether the schema that a task shows for its answer is that of this status. */
export function isShownStatus({ answers }: DocumentedAnswers, status: number): boolean {
  const shown = SHOWN.find((one) => answers !== undefined && Object.hasOwn(answers, one));
  return shown === String(status) || shown === 'default' || (shown === '2XX' && status < 300);
}

/**
 * Compares an answer with the media types that the document promises for its status. Where it promises JSON, an answer must
 * not be JSON that cannot be read, nor a page for browsers, which comes from a proxy or a sign-in and not from the
 * interface. Any other media type is accepted, as are answers of errors and those without a body.
 *
 * @param mediaType header `Content-Type`, "" without one
 * @param isBroken whether the body is JSON by its media type and cannot be parsed
 * @returns what is wrong with the answer: follows "the answer"; null: nothing
 */
export function answerFault(
  operation: DocumentedAnswers,
  {
    status,
    mediaType,
    body,
    isBroken,
  }: { status: number; mediaType: string; body: unknown; isBroken: boolean },
): string | null {
  const promised = promisedTypes(operation, status);
  if (status >= 400 || body === null || !promised?.some(isJsonType)) return null;
  if (isBroken) return `is ${essenceOf(mediaType)} that cannot be parsed`;
  const isPage = /^(text\/html|application\/xhtml\+xml)$/.test(essenceOf(mediaType));
  return isPage && !promised.some((type) => covers(type, mediaType)) ? `is ${essenceOf(mediaType)}` : null;
}
