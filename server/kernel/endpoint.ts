import type { OpenApiMeta, OpenApiMethod } from 'trpc-openapi';
import type { Audience } from './roles.ts';

/** Metadata that a procedure declares: who may call it, and its REST endpoint. */
export type Meta = OpenApiMeta<{
  audience?: Audience;
  /** Name of the greedy path parameter; set by `rest`. */
  greedy?: string;
  /** Other spellings of the same path that clients use (contract/lifecycle#0.2.1). */
  aliases?: string[];
  bodyLimit?: 'import';
  /** Name of the input's only field, when the body is the document itself (contract/lifecycle#0.2.6). */
  bare?: string;
  /**
   * Name of the input's field that receives the body as text: the procedure parses it elsewhere, because the document may
   * be larger than this thread should parse.
   */
  unparsed?: string;
  /** Name of the input's list that may be longer than memory: a large body is read in pieces (`ListInPieces`). */
  pieces?: string;
  /** Fields that an endpoint with a body also accepts in its query. */
  inQuery?: string[];
  /** Whether a stopped application still answers. */
  always?: boolean;
  /** Whether a caller whom this process has seen shortly before is still known while the database is away (decision 0197). */
  withoutDatabase?: boolean;
  /** Whether personal tokens are denied: a token could extend itself, or take over the account (docs/security.md). */
  notByToken?: boolean;
  /** Whether the path serves only what no other path matches, under any method. */
  fallback?: boolean;
  /** Whether a query may change something outside: a read-only personal token may not call it. */
  effects?: boolean;
  /** Media type of a response that is not JSON: the procedure returns `PlainText` (contract/lifecycle#0.2.5). */
  produces?: string;
  /**
   * Success statuses, and when each is returned; absent: 200. The lowest is the default, unless the procedure sets
   * another (contract/lifecycle#0.2.4).
   */
  statuses?: Partial<Record<200 | 201 | 204 | 302, string>>;
  /** Error statuses besides those of every endpoint of its kind, or with their own description: when each occurs. */
  errorResponses?: Partial<Record<ErrorStatus, string>>;
}>;

/** The HTTP statuses that an error can have once its endpoint is known (contract/decisions#2). */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 431 | 500 | 502 | 503 | 504;

type Face = Pick<
  Meta,
  | 'aliases'
  | 'bodyLimit'
  | 'bare'
  | 'unparsed'
  | 'pieces'
  | 'inQuery'
  | 'always'
  | 'withoutDatabase'
  | 'notByToken'
  | 'effects'
  | 'fallback'
  | 'produces'
  | 'statuses'
  | 'errorResponses'
> & {
  /** Details beyond the summary; the OpenAPI document adds who may call. */
  description?: string;
  /** Media types of the body, when it is not JSON. */
  contentTypes?: string[];
};

/**
 * Returns the REST face of a procedure.
 *
 * @param path in the notation of the interface, with `:name` parameters; `:name+` is greedy and may contain slashes
 * @param summary one line for the OpenAPI document
 */
export const rest = (method: OpenApiMethod, path: `/${string}`, summary: string, face: Face = {}): Meta => {
  const { description, contentTypes, ...rest } = face;
  const greedy = /:(\w+)\+/.exec(path)?.[1];
  return {
    ...rest,
    ...(greedy && { greedy }),
    openapi: {
      method,
      path: path.replace(/:(\w+)\+?/g, '{$1}') as `/${string}`,
      summary,
      tags: [path.split('/')[1] ?? 'service'],
      ...(description && { description }),
      ...(contentTypes && { contentTypes }),
    },
  };
};
