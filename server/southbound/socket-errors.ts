/** Why a connection failed or broke off: the reason in the response (contract/decisions#2) and its description. */
export type SocketError = readonly [reason: 'DNS' | 'REFUSED' | 'UNREACHABLE' | 'RESET', message: string];

const UNKNOWN_NAME = ['DNS', 'the host name is unknown'] as const;
const UNREACHABLE = ['UNREACHABLE', 'the host cannot be reached'] as const;
const RESET = ['RESET', 'the connection was lost'] as const;

const SOCKET_ERRORS: ReadonlyMap<string, SocketError> = new Map<string, SocketError>([
  ['ENOTFOUND', UNKNOWN_NAME],
  ['EAI_NONAME', UNKNOWN_NAME],
  ['ENODATA', UNKNOWN_NAME],
  ['EAI_AGAIN', ['DNS', 'the host name cannot be resolved at the moment']],
  ['ECONNREFUSED', ['REFUSED', 'the host refuses the connection']],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['EADDRNOTAVAIL', UNREACHABLE],
  ['EHOSTDOWN', UNREACHABLE],
  ['ETIMEDOUT', UNREACHABLE],
  ['ECONNRESET', RESET],
  ['EPIPE', RESET],
]);

/** Returns the meaning of a socket error code. @param code as returned by `codeOf` @returns undefined for other codes */
export const socketErrorOf = (code: string): SocketError | undefined => SOCKET_ERRORS.get(code);

/** Returns the meaning of the first socket error code in a library's error text, or undefined. */
export const socketErrorIn = (text: string): SocketError | undefined =>
  (text.match(/\bE[A-Z_]+\b/g) ?? []).map(socketErrorOf).find((trouble) => trouble !== undefined);

/** Returns the code of an error, or ''. Node reports failures for several addresses of a host as one AggregateError. */
export function codeOf(error: Error & { code?: string }): string {
  const [first] = error instanceof AggregateError ? (error.errors as { code?: string }[]) : [];
  return error.code ?? first?.code ?? '';
}
