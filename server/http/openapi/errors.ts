import { z } from 'zod';
import type { Operation } from '#server/http/operations.ts';
import type { ErrorStatus } from '#server/kernel/procedures.ts';

/** Every code that an error can have (contract/decisions#2). */
const CODES = [
  'BAD_REQUEST',
  'PARSE_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_SUPPORTED',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNPROCESSABLE_CONTENT',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'BAD_GATEWAY',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
] as const;

const IssueBody = z
  .object({
    path: z
      .array(z.union([z.string(), z.int()]))
      .describe('Where the member stands: names and, in arrays, positions'),
    message: z.string().describe('What is wrong with it, for a person to read'),
    code: z.string().describe('What is wrong with it, for a program to compare'),
    line: z.int().min(1).optional().describe('Line of the member’s text, when that is a template'),
    column: z.int().min(1).optional().describe('Column of that line'),
  })
  .meta({ id: 'ErrorIssue', description: 'What is wrong with one member of a request.' });

/** The body of every error (contract/decisions#2), for the document; the service builds it in failure.ts. */
export const ErrorBody = z
  .object({
    code: z.enum(CODES).describe('What went wrong; it says more than the status'),
    message: z
      .string()
      .describe('The same for a person to read; it names the document, field or limit concerned'),
    issues: z
      .array(IssueBody)
      .optional()
      .describe('Every member of the request that was refused; with 400 only'),
    requestId: z.string().describe('The same as X-Request-Id; the log has it in every line of this request'),
    data: z.unknown().optional().describe('Results per item, when a call with many items failed in parts'),
    reason: z
      .string()
      .optional()
      .describe('Finer code, when a device or an orchestrator is why: HOST_KEY_CHANGED …'),
    host: z.string().optional().describe('Device or orchestrator that is why'),
    stage: z.string().optional().describe('How far the call to it got'),
    retryable: z.boolean().optional().describe('Whether the same call may succeed later'),
    error: z
      .union([z.string(), z.looseObject({ code: z.int(), message: z.string() })])
      .optional()
      .describe(
        'The code of RFC 6749, where access tokens are asked for; an object with code and message, where the name of a transformation is taken',
      ),
    status: z.string().optional().describe('The status that a probe of readiness found'),
    checks: z
      .record(z.string(), z.string())
      .optional()
      .describe('What a probe of readiness found of each part'),
    partial: z.unknown().optional().describe('What was done before it failed, in the shape of a success'),
  })
  .meta({ id: 'Error', description: 'The body of every error, whatever the endpoint.' });

type ErrorResponse = {
  /** Name of the shared response in the document's components. */
  name: string;
  description: string;
  code: (typeof CODES)[number];
  message: string;
  issues?: z.infer<typeof IssueBody>[];
  headers?: string[];
};

/** The request id in examples of errors. */
const REQUEST_ID = '6f1c2b9e-0d55-4f0e-9a57-2f7f5f0c1d2e';

/** The error responses by status: when each occurs, and an example body. */
export const KINDS: Record<ErrorStatus, ErrorResponse> = {
  400: {
    name: 'BadRequest',
    description:
      'Path, query or body is not what the schema asks for; every issue is listed. Or the body is not JSON.',
    code: 'BAD_REQUEST',
    message: 'The request is not valid: limit: Too big: expected number to be <=1000',
    issues: [{ path: ['limit'], message: 'Too big: expected number to be <=1000', code: 'too_big' }],
  },
  401: {
    name: 'Unauthorized',
    description: 'No credential, or one that is unknown, wrong or expired.',
    code: 'UNAUTHORIZED',
    message: 'Sign in first: no credential was presented',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    description:
      'The caller is known and may not: a role is missing, or the access list of the document says no.',
    code: 'FORBIDDEN',
    message: 'Needs one of the roles: admin',
  },
  404: {
    name: 'NotFound',
    description:
      'A document, version, node, adapter or host that the request names does not exist, or the caller may not read it.',
    code: 'NOT_FOUND',
    message: 'Golden configuration tree 65f0c1d2e3a4b5c6d7e8f901 does not exist',
  },
  409: {
    name: 'Conflict',
    description:
      'The name is taken, another request changed the document, or its state does not allow the call.',
    code: 'CONFLICT',
    message: 'Another request stored a document with the same name or id: choose another one, or retry',
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is over the limit.',
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is over the limit of 16 MiB, or tells no length',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is of a type that this endpoint does not read, or compressed.',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body must be application/json, not text/xml',
  },
  422: {
    name: 'UnprocessableContent',
    description: 'Understood, but it cannot be done.',
    code: 'UNPROCESSABLE_CONTENT',
    message: 'The device type nokia_srl is not supported',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many sign-ins failed; the header Retry-After says for how long.',
    code: 'TOO_MANY_REQUESTS',
    message: 'Too many sign-ins failed; try again in 240 s',
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalServerError',
    description: 'A fault of the service; its log has the cause under the request id.',
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Internal error',
  },
  502: {
    name: 'BadGateway',
    description: 'A device or an orchestrator refused us, or broke off.',
    code: 'BAD_GATEWAY',
    message: 'edge-1 closed the connection',
  },
  503: {
    name: 'ServiceUnavailable',
    description:
      'The database is away or has run out of room, the service is shutting down, or the application is stopped.',
    code: 'SERVICE_UNAVAILABLE',
    message: 'The database is not available at the moment; try again',
    headers: ['Retry-After'],
  },
  504: {
    name: 'GatewayTimeout',
    description: 'A device or an orchestrator did not answer in time.',
    code: 'GATEWAY_TIMEOUT',
    message: 'edge-1 did not answer within 10 s',
  },
};

const STATUSES = Object.keys(KINDS).map(Number) as ErrorStatus[];

/** Areas in which every endpoint talks to devices or orchestrators. */
const OUTWARD = /^\/(automationgateway|orchestrator_manager)\//;

/** Areas in which every endpoint calls an adapter, which may be stopped. */
const BY_ADAPTER = /^\/orchestrator_manager\//;

/** Returns the error statuses of an operation: those of its kind, and those that it declares. */
export function refusalsOf(operation: Operation): ErrorStatus[] {
  const { path, meta, procedure, parameters } = operation;
  const known = meta.audience !== 'public';
  const named = parameters.length > 0;
  const body = bringsBody(operation);
  // Required fields of a query name documents: `?treeId=…`.
  const queried =
    operation.queried &&
    Object.values<z.ZodType>(operation.input.shape).some((member) => !member.safeParse(undefined).success);
  const outward = OUTWARD.test(path);
  const can: Record<ErrorStatus, boolean> = {
    400: true,
    401: known,
    403: known,
    404: named || (known && (body || queried)),
    409: known && ((procedure._def.type === 'mutation' && (named || body)) || BY_ADAPTER.test(path)),
    413: body,
    415: body,
    422: false,
    429: known,
    500: true,
    502: outward,
    503: true,
    504: outward,
  };
  return STATUSES.filter((status) => can[status] || meta.refusals?.[status] !== undefined);
}

/** Returns whether an operation has fields for a body; a GET is documented without one. */
const bringsBody = ({ method, input, parameters, meta }: Operation) =>
  method !== 'GET' && (meta.bare !== undefined || Object.keys(input.shape).length > parameters.length);

type JsonObject = Record<string, unknown>;

const CONTENT = { schema: { $ref: '#/components/schemas/Error' } };

/** The headers that responses share, for the document's components. */
export const HEADERS: Record<
  string,
  { description: string; schema: { type: string }; example: string | number }
> = {
  'X-Request-Id': {
    description: 'Id of this request: the caller’s own when it sent a sane one, else a new one.',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  'WWW-Authenticate': {
    description: 'How to present a credential.',
    schema: { type: 'string' },
    example: 'Bearer realm="switchyard"',
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer' },
    example: 240,
  },
};

/** Returns references to shared headers for one response; every response has the request id. */
export const headersOf = (names: readonly string[] = []): JsonObject =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Returns the error responses that paths refer to, for the document's components. */
export const refusalResponses = (paths: object): JsonObject => {
  const named = new Set<unknown>();
  JSON.stringify(paths, (name, value) => {
    if (name === '$ref') named.add(value);
    return value;
  });
  const shared = STATUSES.filter((status) => named.has(refOf(status)));
  return Object.fromEntries(shared.map((status) => [KINDS[status].name, responseOf(status)]));
};

const refOf = (status: ErrorStatus) => `#/components/responses/${KINDS[status].name}`;

/** Returns one error response of an operation: the shared one, unless the operation describes its own. */
export const refusalOf = (operation: Operation, status: ErrorStatus): JsonObject => {
  const own = operation.meta.refusals?.[status];
  return own === undefined
    ? { $ref: refOf(status) }
    : responseOf(status, { description: own, message: own.replace(/\.$/, '') });
};

function responseOf(status: ErrorStatus, own?: { description: string; message: string }): JsonObject {
  const { description, code, message, issues, headers } = { ...KINDS[status], ...own };
  const example = { code, message, ...(issues && { issues }), requestId: REQUEST_ID };
  return {
    description,
    headers: headersOf(headers),
    content: { 'application/json': { ...CONTENT, example } },
  };
}
