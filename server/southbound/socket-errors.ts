/**
 * Why no connection came about, or one ended: the reason that an answer gives (contract/decisions#2), and how it is told.
 */
export type SocketError = readonly [reason: 'DNS' | 'REFUSED' | 'UNREACHABLE' | 'RESET', told: string];

const UNKNOWN_NAME = ['DNS', 'the name of the host is not known'] as const;
const UNREACHABLE = ['UNREACHABLE', 'the host cannot be reached'] as const;
const RESET = ['RESET', 'the connection broke off'] as const;

const TROUBLES: ReadonlyMap<string, SocketError> = new Map<string, SocketError>([
  ['ENOTFOUND', UNKNOWN_NAME],
  ['EAI_NONAME', UNKNOWN_NAME],
  ['ENODATA', UNKNOWN_NAME],
  ['EAI_AGAIN', ['DNS', 'the name of the host cannot be resolved at the moment']],
  ['ECONNREFUSED', ['REFUSED', 'the host refuses the connection']],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['EADDRNOTAVAIL', UNREACHABLE],
  ['EHOSTDOWN', UNREACHABLE],
  ['ETIMEDOUT', UNREACHABLE],
  ['ECONNRESET', RESET],
  ['EPIPE', RESET],
]);

/** What an error of a socket means. @param code as `codeOf` finds it @returns undefined when it is none of a socket's */
export const socketErrorOf = (code: string): SocketError | undefined => TROUBLES.get(code);

/** The same where a library hands on the socket's error in its own words: by the first code that stands in them. */
export const socketErrorIn = (text: string): SocketError | undefined =>
  (text.match(/\bE[A-Z_]+\b/g) ?? []).map(socketErrorOf).find((trouble) => trouble !== undefined);

/** The code of an error; '' without one. Node tries several addresses of a host and tells of them together. */
export function codeOf(error: Error & { code?: string }): string {
  const [first] = error instanceof AggregateError ? (error.errors as { code?: string }[]) : [];
  return error.code ?? first?.code ?? '';
}
