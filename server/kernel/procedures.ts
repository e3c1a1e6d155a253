import { initTRPC, type TRPC_ERROR_CODE_KEY, TRPCError, type TrackedEnvelope, tracked } from '@trpc/server';
import type { OpenApiMeta, OpenApiMethod } from 'trpc-openapi';
import { ZodError } from 'zod';
import { type Database, exhaustion, inTransaction } from '#db/client.ts';
import type { Change } from '#db/collection.ts';
import { changesOf } from '#db/collection.ts';
import { listenForPublished } from '#db/connections/publish.ts';
import { applicationOf } from './application-of.ts';
import { type Issue, refused, ServiceError, WrongCredential } from './errors.ts';
import { GapText, type Subscription } from './event-feed.ts';
import { type JsonText, json, plain } from './json-text.ts';
import { translateFault } from './observability/faults.ts';
import type { Context, Principal, SignedIn } from './platform.ts';
import { mayCall, rolesNeeded } from './principal.ts';
import type { Audience } from './roles.ts';
import { assertStorable } from './validation/input-sanity.ts';
import { issuesOf } from './validation/zod-issues.ts';

export type { Context, Principal, Request, SignedIn } from './platform.ts';

export type Meta = OpenApiMeta<{
  audience?: Audience;
  /** Area and method as permissions name them; filled in by the REST face for documents. */
  greedy?: string;
  /** Other spellings of the same path that clients use (contract/lifecycle#0.2.1). */
  aliases?: string[];
  bodyLimit?: 'import';
  /** The document itself is the body: its members are the input's only member of that name (contract/lifecycle#0.2.6). */
  bare?: string;
  /** Members that an endpoint with a body takes from its query too. */
  inQuery?: string[];
  /** A stopped application still answers these. */
  always?: boolean;
  /** A personal token may not call this: it could prolong itself, or take over the account (docs/security.md). */
  notByToken?: boolean;
  /** A query that may change something outside: a personal token that only reads may not call it. */
  effects?: boolean;
  /** Media type of an answer that is not JSON: the procedure answers with `PlainText` (contract/lifecycle#0.2.5). */
  produces?: string;
  /**
   * Statuses of success, and when each comes; absent: 200. The lowest is what the endpoint answers unless the procedure
   * says otherwise (contract/lifecycle#0.2.4).
   */
  statuses?: Partial<Record<200 | 201 | 204, string>>;
  /** Refusals beside those that every endpoint of its kind has, or told in its own words: status, and when. */
  refusals?: Partial<Record<ErrorStatus, string>>;
}>;

/** The HTTP statuses that a refusal or fault can have where its endpoint is known (contract/decisions#2). */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;

/** All that a caller is told of a fault (contract/decisions#2). */
const INTERNAL = 'Internal error';

/** What a typed client finds in an error's `data`: the members of the one error shape (contract/decisions#2). */
export type ErrorData = {
  /** What went wrong, to be compared with. */
  code: TRPC_ERROR_CODE_KEY;
  httpStatus: number;
  /** The procedure that was called, when it was known. */
  path?: string | undefined;
  /** Every member of the input that was refused. */
  issues?: Issue[] | undefined;
  /** Results per item, when a call with many items failed in parts. */
  data?: unknown;
  /** Set when a device or an orchestrator is why: finer code, who it was, how far the call got, worth another try. */
  reason?: string | undefined;
  host?: string | undefined;
  stage?: string | undefined;
  retryable?: boolean | undefined;
  partial?: unknown;
  /** The same as X-Request-Id: the log has it in every line of this request. */
  requestId?: string | undefined;
};

/** Time between two signs of life of an event stream, in milliseconds (contract/lifecycle#12a). */
export const BEAT_MS = 15_000;

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: BEAT_MS },
      client: { reconnectAfterInactivityMs: 3 * BEAT_MS },
    },
    errorFormatter: ({ shape, error, ctx }) => {
      const known = error.cause instanceof ServiceError ? error.cause : undefined;
      const { code, httpStatus, path } = shape.data;
      const data: ErrorData = {
        ...known?.extra,
        code,
        httpStatus,
        path,
        issues: known?.issues,
        data: known?.data,
        requestId: ctx?.request.id,
      };
      // A fault of tRPC itself has passed no guard: it tells nothing either.
      // What is told on purpose is told (contract/lifecycle#6.3).
      const message = code === 'INTERNAL_SERVER_ERROR' && !known ? INTERNAL : shape.message;
      return { ...shape, message, data };
    },
  });

export const router = t.router;

type ProcedureCall = {
  ctx: Context;
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  meta: Meta | undefined;
  getRawInput: () => Promise<unknown>;
};

/**
 * The one guard: who may call, whether the area runs, which input is sound, how failures are told, what is recorded.
 * One rather than five, because each middleware costs 3 µs a call (decision 0001). The input is read only after the
 * caller is known, and checked before any schema sees it.
 */
async function guarded<Result extends { ok: boolean }>(
  audience: Audience,
  { ctx, path, type, meta, getRawInput }: ProcedureCall,
  proceed: (principal: Principal | null) => Promise<Result>,
): Promise<Result> {
  const { request, platform } = ctx;
  let principal: Principal | null = null;
  try {
    if (audience !== 'public') {
      principal = await request.authenticate(type === 'mutation', type === 'subscription');
      assertAllowed(principal, audience, path);
      assertTokenAllows(principal, type, meta);
      if (!meta?.always) await platform.assertRunning(path);
    }
    // The REST face looks before it merges path, query and body; here nobody has looked yet.
    if (request.face === 'trpc') assertStorable(await getRawInput());
    const result = await proceed(principal);
    if ('error' in result) throw result.error;
    if (request.face === 'trpc' && 'data' in result) return { ...result, data: plain(result.data) };
    return result;
  } catch (error) {
    const failure = failureOf(error);
    const log = platform.logOf('application', applicationOf(path));
    const told = { requestId: request.id, operation: path };
    if (failure.code === 'INTERNAL_SERVER_ERROR' && !(failure.cause instanceof ServiceError)) {
      log.error({ err: failure.cause, ...told }, 'internal error');
    } else if (failure.cause instanceof ServiceError && exhaustion(failure.cause)) {
      log.error({ err: failure.cause.cause, ...told }, 'the database has run out of something');
    } else log.debug({ ...told, code: failure.code, reason: failure.message }, 'refused');
    if (isRecorded(type, principal, failure)) {
      await platform.audit
        .refusal(ctx, principal, path, failure, type === 'mutation')
        .catch((cause: unknown) => {
          log.error({ err: cause, ...told }, 'audit row not written');
        });
    }
    throw failure;
  }
}

/**
 * Whether the audit trail tells of a failure: of a known caller every write that failed and every read that was denied,
 * a document that does not exist for him included; of anybody else wrong credentials and writes from other origins.
 */
const isRecorded = (
  type: ProcedureCall['type'],
  principal: Principal | null,
  { code, cause }: TRPCError,
): boolean =>
  principal
    ? type === 'mutation' || code === 'FORBIDDEN' || code === 'NOT_FOUND'
    : cause instanceof WrongCredential || code === 'FORBIDDEN';

/** Behind it `principal` is there: the audience is never `public` (that is `open`). */
const guard = (audience: Exclude<Audience, 'public'>) =>
  t.middleware((call) =>
    guarded(audience, call, (principal) => call.next({ ctx: { principal: principal as Principal } })),
  );

function assertAllowed(principal: Principal | null, audience: Audience, path: string): asserts principal {
  if (!principal) {
    throw new ServiceError('UNAUTHORIZED', 'Sign in first: no credential was presented');
  }
  if (mayCall(principal, audience, permissionOf(path))) return;
  throw new ServiceError('FORBIDDEN', rolesNeeded(audience));
}

/** What a personal token may not do, whatever its roles are (docs/security.md). */
function assertTokenAllows({ token }: Principal, type: ProcedureCall['type'], meta: Meta | undefined): void {
  if (!token) return;
  if (meta?.notByToken) {
    throw new ServiceError(
      'FORBIDDEN',
      'A personal token may not do this; sign in with your name and password, and use the session',
    );
  }
  if (token.readOnly && (type === 'mutation' || meta?.effects)) {
    throw new ServiceError('FORBIDDEN', 'This personal token only reads (readOnly); use one that may write');
  }
}

/** `configurationManager.getTree` as permissions spell it: `ConfigurationManager.getTree` (contract/lifecycle#0.8). */
export const permissionOf = (path: string) => path.charAt(0).toUpperCase() + path.slice(1);

/** Whatever was thrown, as the failure that the caller is told: refusals keep their code, faults lose their text. */
export function failureOf(error: unknown): TRPCError {
  const thrown = error instanceof TRPCError && error.cause ? error.cause : error;
  // tRPC reads JSON itself, and tells what stood there: it may be a secret.
  if (thrown instanceof SyntaxError && error instanceof TRPCError && error.code === 'BAD_REQUEST') {
    return new TRPCError({ code: 'PARSE_ERROR', message: 'The input is not JSON', cause: thrown });
  }
  const refusal =
    thrown instanceof ServiceError
      ? thrown
      : thrown instanceof ZodError && error instanceof TRPCError && error.code === 'BAD_REQUEST'
        ? refused(issuesOf(thrown))
        : translateFault(thrown);
  if (refusal) return new TRPCError({ code: refusal.code, message: refusal.message, cause: refusal });
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: INTERNAL, cause: thrown });
}

/** A procedure for callers who hold at least one of `roles` (contract/endpoints#roles; contract/lifecycle#0.8). */
export const allow = (...roles: Extract<Audience, readonly unknown[]>) =>
  t.procedure.meta({ audience: roles }).use(guard(roles));

/** A procedure for anyone who is signed in. */
export const signedIn = t.procedure.meta({ audience: 'signed-in' }).use(guard('signed-in'));

/** A procedure that asks for no credential. */
export const open = t.procedure
  .meta({ audience: 'public' })
  .use((call) => guarded('public', call, () => call.next()));

/**
 * A write: the resolver works in one transaction, and the audit row that tells of it is part of that transaction,
 * so that neither exists without the other (contract/lifecycle#audit-trail). Every mutation's resolver goes through here.
 */
export const write =
  <Input, Output>(resolve: (options: { ctx: SignedIn; input: Input; path: string }) => Promise<Output>) =>
  async ({ ctx, input, path }: { ctx: SignedIn; input: Input; path: string }): Promise<Output> => {
    let changes: Change[] = [];
    const result = await inTransaction(ctx.db, async (tx) => {
      const output = await resolve({ ctx: { ...ctx, db: tx }, input, path });
      changes = changesOf(tx);
      await ctx.platform.audit.success(tx, ctx, ctx.principal, path, changes);
      return output;
    });
    // What changed is on its way to those who listen; nobody has to wait for the next look.
    if (changes.length > 0) listenForPublished(ctx.db);
    // Other processes hear it from the database; this one must know before it answers.
    if (changes.some(({ kind }) => DECIDES_ACCESS.has(kind))) ctx.platform.accessChanged();
    return result;
  };

/**
 * A write that something outside carries out: no transaction is held while that works, for it may take minutes. The
 * audit row is written afterwards; what was done outside stays done, also should that fail.
 *
 * @param tell adds to the audit row what was asked of whom, and what came of it
 */
export const outward =
  <Input, Output>(
    resolve: (options: { ctx: SignedIn; input: Input; path: string }) => Promise<Output>,
    tell: (tx: Database, input: Input, output: Output) => void,
  ) =>
  async (call: { ctx: SignedIn; input: Input; path: string }): Promise<Output> => {
    const output = await resolve(call);
    return write<Input, Output>(async ({ ctx, input }) => {
      tell(ctx.db, input, output);
      return output;
    })(call);
  };

/** Tables whose documents decide who may do what, or which area answers (decision 0003). */
const DECIDES_ACCESS = new Set([
  'accounts',
  'sessions',
  'personal_tokens',
  'groups',
  'roles',
  'profiles',
  'applications',
]);

/**
 * A subscription: what it gives is JSON text with the id to resume at, and both faces know how to unwrap it. What ends
 * it, also later, is told as any other failure.
 */
export const subscription =
  <Input, Value>(
    resolve: (options: {
      ctx: SignedIn;
      input: Input;
      signal: AbortSignal | undefined;
    }) => Promise<Subscription>,
  ) =>
  async (call: {
    ctx: SignedIn;
    input: Input;
    signal: AbortSignal | undefined;
  }): Promise<Subscribed<Value>> => {
    const source = await resolve(call);
    const iterator: Subscribed<Value> = {
      from: source.from,
      async next() {
        try {
          const { done, value } = await source.next();
          if (done) return { done, value: undefined };
          const { id, text, isGap } = value;
          return { done: false, value: tracked(id, isGap ? new GapText<Value>(text) : json<Value>(text)) };
        } catch (error) {
          throw failureOf(error);
        }
      },
      async return() {
        await source.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  };

/** What a subscription answers; `from` is the id to resume at before anything came. */
export type Subscribed<Value> = AsyncIterableIterator<TrackedEnvelope<JsonText<Value>>> & { from: string };

type Face = Pick<
  Meta,
  | 'aliases'
  | 'bodyLimit'
  | 'bare'
  | 'inQuery'
  | 'always'
  | 'notByToken'
  | 'effects'
  | 'produces'
  | 'statuses'
  | 'refusals'
> & {
  /** What the summary leaves out; the OpenAPI document adds who may call. */
  description?: string;
  /** Media types of the body, when it is not JSON. */
  contentTypes?: string[];
};

/**
 * The REST face of a procedure.
 *
 * @param path as in the interface, with `:name` parameters; `:name+` is greedy and may hold slashes
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

/** A procedure as the faces see it: its definition, and how to run it with an input that is not read yet. */
export type Procedure = {
  _def: {
    type: 'query' | 'mutation' | 'subscription';
    meta?: Meta;
    inputs: readonly unknown[];
    output?: unknown;
  };
} & ((call: {
  ctx: Context;
  path: string;
  type: string;
  input: unknown;
  getRawInput: () => Promise<unknown>;
  signal: AbortSignal | undefined;
  batchIndex: number;
}) => Promise<unknown>);
