import { z } from 'zod';
import type { Operation } from '#server/http/operations.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
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
      .describe('Path to the field: names and, in arrays, positions'),
    message: z.string().describe('The problem, in words'),
    code: z.string().describe('The problem, as a code'),
    line: z.int().min(1).optional().describe('Line of the field’s text, when that is a template'),
    column: z.int().min(1).optional().describe('Column of that line'),
  })
  .meta({ id: 'ErrorIssue', description: 'A problem with one field of a request.' });

/** The body of every error (contract/decisions#2), for the document; the service builds it in failure.ts. */
export const ErrorBody = z
  .object({
    code: z.enum(CODES).describe('The kind of error; more specific than the status'),
    message: z.string().describe('The error in words; it names the document, field or limit concerned'),
    issues: z
      .array(IssueBody)
      .optional()
      .describe('Every field of the request that was rejected; with 400 only'),
    requestId: z.string().describe('The same as X-Request-Id; the log has it in every line of this request'),
    data: z.unknown().optional().describe('Results per item, when a call with several items failed in part'),
    reason: z
      .string()
      .optional()
      .describe('More specific code, when a device or an orchestrator caused the error: HOST_KEY_CHANGED …'),
    host: z.string().optional().describe('Device or orchestrator that caused the error'),
    stage: z.string().optional().describe('Stage of the call at which it failed'),
    retryable: z.boolean().optional().describe('Whether the same call may succeed later'),
    error: z
      .union([z.string(), z.looseObject({ code: z.int(), message: z.string() })])
      .optional()
      .describe(
        'The code of RFC 6749 for access tokens; an object with code and message when the name of a transformation is taken, and with 431, for typed clients',
      ),
    status: z.string().optional().describe('The status that a readiness probe found'),
    checks: z
      .record(z.string(), z.string())
      .optional()
      .describe('The result of a readiness probe for each part'),
    partial: z.unknown().optional().describe('What was done before the failure, in the shape of a success'),
  })
  .meta({ id: 'Error', description: 'The body of every error of every endpoint.' });

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
      'The path, query or body does not match the schema (every issue is listed), or the body is not JSON.',
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
      'The caller is known but not allowed: a role is missing, or the access list of the document denies it.',
    code: 'FORBIDDEN',
    message: 'Needs one of the roles: admin',
  },
  404: {
    name: 'NotFound',
    description:
      'A document, version, node, adapter or host of the request does not exist, or the caller may not read it.',
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
    description: 'The body exceeds the limit.',
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body exceeds the limit of 16 MiB, or has no length',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body has a type that this endpoint does not read, or is compressed.',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body must be application/json, not text/xml',
  },
  422: {
    name: 'UnprocessableContent',
    description: 'The request is valid, but cannot be carried out.',
    code: 'UNPROCESSABLE_CONTENT',
    message: 'The device type nokia_srl is not supported',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many failed sign-ins; the header Retry-After has the seconds to wait.',
    code: 'TOO_MANY_REQUESTS',
    message: 'Too many failed sign-ins; retry in 240 s',
    headers: ['Retry-After'],
  },
  431: {
    name: 'RequestHeaderFieldsTooLarge',
    description: 'The URL and the headers together are larger than 16 KiB; the connection is closed.',
    code: 'BAD_REQUEST',
    message: 'The URL and the headers together are larger than 16 KiB: send long input in a body',
  },
  500: {
    name: 'InternalServerError',
    description: 'An internal error of the service; its log has the cause under the request id.',
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Internal error',
  },
  502: {
    name: 'BadGateway',
    description: 'A device or an orchestrator rejected the call, or closed the connection.',
    code: 'BAD_GATEWAY',
    message: 'edge-1 closed the connection',
  },
  503: {
    name: 'ServiceUnavailable',
    description:
      'The database cannot be reached or has no room left, the service is shutting down, or the application is stopped.',
    code: 'SERVICE_UNAVAILABLE',
    message: 'The database is not available at the moment; retry later',
    headers: ['Retry-After'],
  },
  504: {
    name: 'GatewayTimeout',
    description: 'A device or an orchestrator did not respond in time.',
    code: 'GATEWAY_TIMEOUT',
    message: 'edge-1 did not respond within 10 s',
  },
};

const STATUSES = Object.keys(KINDS).map(Number) as ErrorStatus[];

/** Areas in which every endpoint talks to devices or orchestrators. */
const OUTWARD = /^\/(automationgateway|orchestrator_manager)\//;

/** Areas in which every endpoint calls an adapter, which may be stopped. */
const BY_ADAPTER = /^\/orchestrator_manager\//;

/** Returns the error statuses of an operation: those of its kind, and those that it declares. */
export function errorStatusesOf(operation: Operation): ErrorStatus[] {
  const { method, path, meta, procedure, parameters } = operation;
  const known = meta.audience !== 'public';
  const named = parameters.length > 0;
  const body = bringsBody(operation);
  // Required fields of a query name documents: `?treeId=…`.
  const queried =
    operation.queried &&
    Object.values<z.ZodType>(operation.input.shape).some((field) => !field.safeParse(undefined).success);
  const outward = OUTWARD.test(path);
  const can: Record<ErrorStatus, boolean> = {
    400: true,
    401: known,
    403: known,
    404: named || (known && (body || queried)),
    409: known && ((procedure._def.type === 'mutation' && (named || body)) || BY_ADAPTER.test(path)),
    // A client may send a body where none is documented, too.
    413: method !== 'GET',
    415: method !== 'GET',
    422: false,
    429: known,
    // Before the request has a path.
    431: true,
    500: true,
    502: outward,
    503: true,
    504: outward,
  };
  return STATUSES.filter((status) => can[status] || meta.errorResponses?.[status] !== undefined);
}

/** Returns whether an operation has fields for a body; a GET is documented without one. */
const bringsBody = ({ method, input, parameters, meta }: Operation) =>
  method !== 'GET' && (meta.bare !== undefined || Object.keys(input.shape).length > parameters.length);

const CONTENT = { schema: { $ref: '#/components/schemas/Error' } };

/** The headers that responses share, for the document's components. */
export const HEADERS: Record<
  string,
  { description: string; schema: { type: string }; example: string | number }
> = {
  'X-Request-Id': {
    description: 'Id of this request: the value that the caller sent when it is valid, else a new one.',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  'WWW-Authenticate': {
    description: 'How to send a credential.',
    schema: { type: 'string' },
    example: 'Bearer realm="switchyard"',
  },
  'Retry-After': {
    description: 'Seconds after which to retry.',
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
export const sharedErrorResponses = (paths: object): JsonObject => {
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
export const errorResponseOf = (operation: Operation, status: ErrorStatus): JsonObject => {
  const own = operation.meta.errorResponses?.[status];
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
