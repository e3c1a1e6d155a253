import qs from 'qs';
import { invalid, ServiceError } from '#server/kernel/errors.ts';

/** Most levels of nesting and most parameters of a query; real clients stay under three and thirty. */
const DEEPEST = 6;
const MOST = 200;

/**
 * Parses a query string: brackets nest, percent-encoded or not; repeated keys are arrays; `+` is a space.
 *
 * @param text the part after `?`
 * @returns texts, lists and objects, by the names of parameters
 * @throws ServiceError BAD_REQUEST when it nests too deeply, has too many fields, or names a prototype
 * @see contract/decisions#get-options, contract/lifecycle#0.2.3
 */
export function readQuery(text: string): Record<string, unknown> {
  if (text === '') return {};
  if (/(^|[&[\]])(__proto__|%5f%5fproto%5f%5f)/i.test(namesOf(text))) {
    throw invalid(['__proto__'], 'is not allowed as the name of a parameter', 'forbidden_name');
  }
  try {
    return qs.parse(text, {
      plainObjects: true,
      depth: DEEPEST,
      strictDepth: true,
      parameterLimit: MOST,
      arrayLimit: MOST,
      throwOnLimitExceeded: true,
    });
  } catch (cause) {
    const message = `The query string is nested more than ${DEEPEST} levels deep or has more than ${MOST} parameters`;
    throw new ServiceError('BAD_REQUEST', message, { cause });
  }
}

/** Returns the names in a query without values, with brackets decoded. */
const namesOf = (text: string) =>
  text
    .split('&')
    .map((pair) => pair.split('=', 1)[0] ?? '')
    .join('&')
    .replaceAll(/%5b/gi, '[')
    .replaceAll(/%5d/gi, ']')
    .replaceAll(/%5f/gi, '_');
