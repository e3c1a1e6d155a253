import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';

/** The problem with one field of a request: its path, and the reason (contract/decisions#2). */
export type Issue = {
  path: (string | number)[];
  message: string;
  code: string;
  /** Position in the field's text, from 1, when that is a template. */
  line?: number;
  column?: number;
};

type Details = {
  issues?: Issue[] | undefined;
  /** Per-item results of a bulk call that failed in parts (contract/lifecycle#0.6). */
  data?: unknown;
  /** Fields next to the common ones that a standard or a client requires. */
  extra?: Record<string, unknown> | undefined;
  headers?: Record<string, string> | undefined;
  cause?: unknown;
};

/**
 * Runs without stack traces: to write one, or the place where something was registered, reads a source map.
 *
 * @param run ends at once: what it starts has stack traces again
 * @returns what it returns; what it throws is thrown
 */
export function withoutStacks<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * An error that the caller can act on: its message may be shown, and names the document, field or limit concerned. Any
 * other error is internal: the caller sees "Internal error", the log has the cause (contract/decisions#2).
 *
 * It has no stack trace: its message says what to correct, and tRPC would format the trace of each rejection.
 */
export class ServiceError extends Error {
  readonly code: TRPC_ERROR_CODE_KEY;
  readonly issues: Issue[] | undefined;
  readonly data: unknown;
  readonly extra: Record<string, unknown> | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(code: TRPC_ERROR_CODE_KEY, message: string, details: Details = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ServiceError';
    this.code = code;
    this.issues = details.issues;
    this.data = details.data;
    this.extra = details.extra;
    this.headers = details.headers;
  }
}

/** 401 for a token that is unknown or has expired, or a malformed credential; the audit trail counts these. */
export class WrongCredential extends ServiceError {}

/**
 * Returns the error 404: no document of this kind has this id or name, or the caller may not read it.
 *
 * @param kind word for the kind, which begins the message
 */
export const notFound = (kind: string, id: string | number) =>
  new ServiceError('NOT_FOUND', `${kind} ${clip(id)} does not exist`);

/**
 * Returns the error 409: the name is taken, the document changed meanwhile, or its state forbids the action.
 *
 * @param message sentence for the caller, without a full stop
 */
export const conflict = (message: string, details?: Details) =>
  new ServiceError('CONFLICT', message, details);

/**
 * Returns the error 409: between its read and its write, another request wrote the document.
 *
 * @param what the document at the beginning of the sentence, such as `Tag core`
 */
export const changedMeanwhile = (what: string) =>
  conflict(`${what} was changed by another request: read it again and retry`);

/**
 * Returns the error 403: the caller is known but lacks permission.
 *
 * @param message sentence for the caller, without a full stop
 */
export const forbidden = (message: string) => new ServiceError('FORBIDDEN', message);

/** Most issues in a response, including the one that says that there are more. */
export const MOST_ISSUES = 100;

const MORE_ISSUES: Issue = {
  path: [],
  message: 'there are more issues: correct these first, then send the request again',
  code: 'too_many_issues',
};

/**
 * Returns the error 400 about fields of the request, with at most 100 issues.
 *
 * @param message beginning of the error's message, which the first three issues complete
 */
export function invalidRequest(issues: Issue[], message = 'The request is not valid') {
  const last = issues.at(-1);
  // Engines that count omitted issues report that themselves.
  const more = last?.code === MORE_ISSUES.code ? last : MORE_ISSUES;
  const shown = issues.length > MOST_ISSUES ? [...issues.slice(0, MOST_ISSUES - 1), more] : issues;
  return new ServiceError('BAD_REQUEST', `${message}: ${shown.slice(0, 3).map(sentence).join('; ')}`, {
    issues: shown,
  });
}

/**
 * Returns the error 400 about one field.
 *
 * @param path of the field in the request
 * @param message completes a sentence that begins with the field
 * @param code for programs, such as `too_big`
 */
export const invalid = (path: (string | number)[], message: string, code = 'custom') =>
  invalidRequest([{ path, message, code }]);

/**
 * Returns the error 422: the request was understood but cannot be carried out.
 *
 * @param message sentence for the caller, without a full stop
 */
export const unprocessable = (message: string) => new ServiceError('UNPROCESSABLE_CONTENT', message);

/**
 * Returns the error 503: a part that the call needs is unavailable.
 *
 * @param message sentence for the caller, without a full stop
 * @param cause error that is logged
 * @param seconds time until a retry makes sense
 */
export const unavailable = (message: string, cause?: unknown, seconds = 1) =>
  new ServiceError('SERVICE_UNAVAILABLE', message, { cause, headers: { 'Retry-After': String(seconds) } });

const sentence = ({ path, message }: Issue) =>
  path.length > 0 ? `${clip(path.join('.'), 200)}: ${message}` : message;

/** Shortens a name from the caller when it is too long for a message. */
const clip = (text: string | number, most = 100) => {
  const shown = String(text);
  return shown.length > most ? `${shown.slice(0, most)}…` : shown;
};
