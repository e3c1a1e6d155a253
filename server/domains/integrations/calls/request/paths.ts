/** Characters that a path holds as they are (RFC 3986 §3.3), with those of templates, the query and encoded ones. */
const UNSAFE = /[^A-Za-z0-9._~!$&'()*+,;=:@/?%{}-]/gu;

/**
 * Returns a path template with everything encoded that a URL cannot hold; a fragment, by which some documents tell
 * operations of one path apart, is cut off.
 */
export const literalPath = (template: string): string =>
  (template.split('#', 1)[0] ?? '')
    .split(/(\{[^{}]*\})/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(UNSAFE, encodeURIComponent).replace(/%(?![0-9A-Fa-f]{2})/g, '%25'),
    )
    .join('');

/**
 * Returns why a path would not stay where its template says.
 *
 * @param path with its values, encoded
 * @returns the reason, to follow the name of the path; null: it stays
 */
export const segmentFault = (path: string): string | null =>
  /(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(path) ? 'must not hold . or .. as a segment' : null;
