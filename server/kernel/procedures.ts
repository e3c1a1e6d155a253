import { initTRPC, type TRPC_ERROR_CODE_KEY, type TrackedEnvelope, tracked } from '@trpc/server';
import { type Database, databaseOf, inTransaction } from '#db/client.ts';
import { type Change, changesOf } from '#db/collection.ts';
import { callPublishedListeners } from '#db/connections/publish.ts';
import { readingMasked } from '#db/masked-texts.ts';
import { type Call, failureOf, INTERNAL, maskedFailure, recordFailure } from './call-failures.ts';
import type { Meta } from './endpoint.ts';
import { type Issue, invalidRequest, ServiceError } from './errors.ts';
import { GapText, type Subscription } from './event-feed.ts';
import { type JsonText, json, plain } from './json-text.ts';
import type { Context, Principal, SignedIn } from './platform.ts';
import { mayCall, rolesNeeded, seesConfigurationSecrets } from './principal.ts';
import type { Audience } from './roles.ts';
import { maskInThread } from './secrets/mask-in-thread.ts';
import { carriesConfigurations, maskedAnswer, masksIn } from './secrets/masked-answer.ts';
import { unlessAway } from './timing/unless-away.ts';
import { assertStorable } from './validation/input-sanity.ts';
import { ListInPieces } from './validation/list-in-pieces.ts';

export { type ErrorStatus, type Meta, rest } from './endpoint.ts';
export type { Context, Principal, Request, SignedIn } from './platform.ts';

/** The `data` of an error for a typed client: the fields of the one error shape (contract/decisions#2). */
export type ErrorData = {
  /** The error code, for programs. */
  code: TRPC_ERROR_CODE_KEY;
  httpStatus: number;
  /** The procedure that was called, if known. */
  path?: string | undefined;
  /** The issues of every rejected field of the input. */
  issues?: Issue[] | undefined;
  /** Results per item, when a call with many items failed in parts. */
  data?: unknown;
  /** Set when a device or orchestrator caused the error: detailed code, host, stage reached, whether a retry may help. */
  reason?: string | undefined;
  /** The second factors that the account has, when one is missing. */
  factors?: readonly ('code' | 'securityKey')[] | undefined;
  host?: string | undefined;
  stage?: string | undefined;
  retryable?: boolean | undefined;
  partial?: unknown;
  /** The value of X-Request-Id: the log has it in every line of this request. */
  requestId?: string | undefined;
};

/** Interval between keep-alive messages of an event stream, in milliseconds (contract/lifecycle#12a). */
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
      // An error of tRPC itself has passed no guard: its message is hidden too. The message of a ServiceError is meant
      // for the caller (contract/lifecycle#6.3).
      const message = code === 'INTERNAL_SERVER_ERROR' && !known ? INTERNAL : shape.message;
      return { ...shape, message, data };
    },
  });

export const router = t.router;

type ProcedureCall = Call & {
  meta: Meta | undefined;
  getRawInput: () => Promise<unknown>;
};

/**
 * Guards every procedure: permission, running application, storable input, error translation, audit. One middleware
 * rather than five, because each costs 3 µs a call (decision 0001). The input is read only after the caller is known,
 * and checked before any schema sees it.
 */
async function guarded<Result extends { ok: boolean }>(
  audience: Audience,
  { ctx, path, type, meta, getRawInput }: ProcedureCall,
  proceed: (principal: Principal | null) => Promise<Result>,
): Promise<Result> {
  const { request, platform } = ctx;
  let principal: Principal | null = null;
  let isMasked = false;
  try {
    if (audience !== 'public') {
      const { always, withoutDatabase = false } = meta ?? {};
      principal = await request.authenticate(type === 'mutation', type === 'subscription', withoutDatabase);
      assertAllowed(principal, audience, path);
      assertTokenAllows(principal, type, meta);
      const running = always ? undefined : platform.assertRunning(path);
      await (running && withoutDatabase ? unlessAway(running, undefined) : running);
    }
    // The REST face checks before it merges path, query and body; a tRPC input is checked here.
    if (request.face === 'trpc') assertStorable(await getRawInput());
    isMasked = principal !== null && carriesConfigurations(path) && !seesConfigurationSecrets(principal);
    if (isMasked && type === 'mutation') assertNoMasks(path, await getRawInput());
    const proceeded = await (isMasked ? readingMasked(() => proceed(principal)) : proceed(principal));
    if ('error' in proceeded) throw proceeded.error;
    const result =
      isMasked && type !== 'subscription' && 'data' in proceeded
        ? {
            ...proceeded,
            data: await maskedAnswer(
              proceeded.data,
              platform.maskConfiguration,
              maskInThread(type === 'mutation'),
            ),
          }
        : proceeded;
    if (request.face === 'trpc' && 'data' in result) return { ...result, data: plain(result.data) };
    return result;
  } catch (error) {
    const raised = failureOf(error);
    const failure = isMasked ? await maskedFailure(raised, platform.maskConfiguration) : raised;
    await recordFailure(failure, principal, { ctx, path, type });
    throw failure;
  }
}

/** Guards a procedure; `principal` is then set, because the audience is never `public` (that is `open`). */
const guard = (audience: Exclude<Audience, 'public'>) =>
  t.middleware((call) =>
    guarded(audience, call, (caller) => {
      const principal = caller as Principal;
      return call.next({ ctx: { principal, db: databaseOf(call.ctx.db, principal.id) } });
    }),
  );

/** Denies a write of configurations with masks by a caller who reads masks: they would replace the secrets. */
function assertNoMasks(path: string, input: unknown): void {
  if (!path.startsWith('configurationManager.')) return;
  const issues = maskIssues(input);
  if (issues.length > 0) throw invalidRequest(issues);
  for (const field of Object.values(input as object)) {
    if (field instanceof ListInPieces) field.check(maskIssues);
  }
}

const maskIssues = (input: unknown, path: (string | number)[] = []): Issue[] =>
  masksIn(input, path).map((at) => ({
    path: at,
    message: 'holds a mask in place of a secret, which you may not read: leave the line out',
    code: 'masked_secret',
  }));

function assertAllowed(principal: Principal | null, audience: Audience, path: string): asserts principal {
  if (!principal) {
    throw new ServiceError('UNAUTHORIZED', 'Sign in first: no credential was presented');
  }
  if (mayCall(principal, audience, permissionOf(path))) return;
  throw new ServiceError('FORBIDDEN', rolesNeeded(audience));
}

/** Denies what a personal token may not do, whatever its roles are (docs/security.md). */
function assertTokenAllows({ token }: Principal, type: ProcedureCall['type'], meta: Meta | undefined): void {
  if (!token) return;
  if (meta?.notByToken) {
    throw new ServiceError(
      'FORBIDDEN',
      'A personal token may not do this; sign in with username and password, and use the session',
    );
  }
  if (token.readOnly && (type === 'mutation' || meta?.effects)) {
    throw new ServiceError(
      'FORBIDDEN',
      'This personal token is read-only (readOnly); use one that may write',
    );
  }
}

/**
 * Returns `configurationManager.getTree` as permissions spell it: `ConfigurationManager.getTree`
 * (contract/lifecycle#0.8).
 *
 * @param path area and name of a procedure, joined by a dot
 */
export const permissionOf = (path: string) => path.charAt(0).toUpperCase() + path.slice(1);

/**
 * Returns a procedure for callers who hold at least one of `roles` (contract/endpoints#roles;
 * contract/lifecycle#0.8).
 */
export const allow = (...roles: Extract<Audience, readonly unknown[]>) =>
  t.procedure.meta({ audience: roles }).use(guard(roles));

/** A procedure for any signed-in user. */
export const signedIn = t.procedure.meta({ audience: 'signed-in' }).use(guard('signed-in'));

/** A procedure that needs no credential. */
export const open = t.procedure
  .meta({ audience: 'public' })
  .use((call) => guarded('public', call, () => call.next()));

/**
 * Wraps a write: the resolver runs in one transaction that includes its audit row, so that neither exists without the
 * other (contract/lifecycle#audit-trail). Every mutation's resolver goes through here.
 *
 * @param resolve makes the changes; `ctx.db` is the transaction
 * @returns a resolver for tRPC
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
    // Listens for published changes now instead of at the next poll.
    callPublishedListeners(ctx.db);
    // Other processes are notified by the database; this one must know before it answers.
    if (changes.some(({ kind }) => DECIDES_ACCESS.has(kind))) ctx.platform.accessChanged();
    return result;
  };

/**
 * Wraps a write that is carried out outside: no transaction is held meanwhile, because it may take minutes. The audit
 * row is written afterwards; the outside effect remains even if that fails.
 *
 * @param resolve calls the other system; `ctx.db` is no transaction
 * @param note adds to the audit row what was requested of whom, and the outcome
 * @returns a resolver for tRPC
 */
export const outward =
  <Input, Output>(
    resolve: (options: { ctx: SignedIn; input: Input; path: string }) => Promise<Output>,
    note: (tx: Database, input: Input, output: Output) => void | Promise<void>,
  ) =>
  async (call: { ctx: SignedIn; input: Input; path: string }): Promise<Output> => {
    const output = await resolve(call);
    return write<Input, Output>(async ({ ctx, input }) => {
      await note(ctx.db, input, output);
      return output;
    })(call);
  };

/** Tables whose documents decide access, or which application answers (decision 0003). */
const DECIDES_ACCESS = new Set([
  'accounts',
  'sessions',
  'second_factors',
  'access_default',
  'personal_tokens',
  'groups',
  'roles',
  'profiles',
  'applications',
]);

/**
 * Wraps a subscription: it yields JSON text with the id to resume at, which both faces know how to unwrap. Errors, also
 * later ones, are reported like any other failure.
 *
 * @param resolve opens the source of events; `signal` ends it
 * @returns a resolver for tRPC
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

/** The result of a subscription; `from` is the id to resume at before the first event. */
export type Subscribed<Value> = AsyncIterableIterator<TrackedEnvelope<JsonText<Value>>> & { from: string };

/** A procedure as the faces see it: its definition, and how to call it with an input that has not been read yet. */
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
