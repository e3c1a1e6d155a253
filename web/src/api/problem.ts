import { TRPCClientError } from '@trpc/client';

/** A failed call in the terms that the console shows. */
export type Problem = {
  /** HTTP status; 0 when no answer arrived. */
  status: number;
  message: string;
  requestId: string | undefined;
  /** What is wrong with the input, field by field. */
  issues: { path: string; message: string; line?: number; column?: number }[];
  /** Details that the server sent with the refusal. */
  data: unknown;
  /** Why, for programs: `second factor required`. */
  reason?: string | undefined;
  /** The second factors that the account has, when one is required. */
  factors?: readonly string[] | undefined;
};

/** An answer that no procedure gave: to a download, or one of a proxy or a network in front of the service. */
export class OtherAnswer extends Error {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body?: unknown) {
    super(`The service answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** Checks that an answer of a procedure is one of the service. @throws OtherAnswer for one that is no JSON, as all of the service are */
export function assertOwnAnswer({ status, headers }: Response): void {
  if (!headers.get('content-type')?.startsWith('application/json')) throw new OtherAnswer(status);
}

/** Said of every failure after which nobody knows whether the service has received what was sent. */
const DOUBT = ' A change that you sent may have been made, so look first.';

/** Returns what the server said about a failed call that only reads: nothing can have changed. */
export function problemOfRead(error: unknown): Problem {
  const problem = problemOf(error);
  return { ...problem, message: problem.message.replace(DOUBT, '') };
}

type ServerData = {
  reason?: string;
  factors?: string[];
  httpStatus?: number;
  requestId?: string;
  issues?: { path: (string | number)[]; message: string; line?: number; column?: number }[];
  data?: unknown;
};

/** Returns what the server said about a failed call; for a lost connection a sentence that says so. */
export function problemOf(error: unknown): Problem {
  if (error instanceof TRPCClientError && error.data) {
    const { httpStatus = 500, requestId, issues = [], data, reason, factors } = error.data as ServerData;
    return {
      status: httpStatus,
      message: error.message,
      requestId,
      issues: issues.map((issue) => ({ ...issue, path: issue.path.join('.') })),
      data,
      reason,
      factors,
    };
  }
  const cause = error instanceof TRPCClientError ? error.cause : error;
  if (cause instanceof OtherAnswer) return answeredProblem(cause.status, cause.body);
  const answered = failureOf(error);
  if (answered) return answered;
  const message = error instanceof Error ? error.message : String(error);
  const isLost = error instanceof TRPCClientError || error instanceof TypeError;
  return {
    status: 0,
    message: isLost ? `The service does not answer. Try again.${DOUBT}` : message,
    requestId: undefined,
    issues: [],
    data: undefined,
  };
}

/** Returns what an answer said that failed before it reached a procedure: it has the form of the REST face. */
function failureOf(error: unknown): Problem | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  const { response, responseJSON } = (error.meta ?? {}) as { response?: Response; responseJSON?: unknown };
  if (!response || response.ok) return undefined;
  const { requestId, ...problem } = answeredProblem(response.status, responseJSON);
  return { ...problem, requestId: requestId ?? response.headers.get('x-request-id') ?? undefined };
}

/** Returns a problem from the body of an answer in the form of the REST face. */
function answeredProblem(status: number, body: unknown): Problem {
  const { message, requestId } = (body ?? {}) as { message?: unknown; requestId?: unknown };
  return {
    status,
    message: typeof message === 'string' ? message : messageWithoutBody(status),
    requestId: typeof requestId === 'string' ? requestId : undefined,
    issues: [],
    data: undefined,
  };
}

/** Returns what an answer means that the service did not write: one of a proxy in front of it. */
function messageWithoutBody(status: number): string {
  if (status === 413)
    return 'A proxy in front of the service does not pass requests of this size (413): its administrator can raise the limit.';
  if (status >= 502)
    return `A proxy in front of the service has no answer from it (${status}). Try again.${DOUBT}`;
  if (status < 400)
    return 'A proxy in front of the service answered in its place, or the sign-in page of a network. Open the console in another tab, then try again.';
  const next = status === 429 ? ' Wait a moment, then try again.' : status < 500 ? '' : DOUBT;
  return `A proxy in front of the service answered ${status} in its place.${next}`;
}
