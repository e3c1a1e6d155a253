import type { DeviceContext } from '#server/kernel/contexts.ts';
import { notFound, ServiceError, unprocessable } from '#server/kernel/errors.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import type { CliRun, CommandResult } from '#server/southbound/cli/ports.ts';
import { canonicalDeviceType, deviceTypeSuggestion } from '../inventory/device-types.ts';
import { noteSeen, type Reached, recordRejectedKey } from '../inventory/host-keys.service.ts';
import { recordTest } from '../inventory/host-tests.service.ts';
import { BOUNDS, commandIssues } from './command-rules.ts';
import { noteCall } from './history.service.ts';
import { assertPolicy } from './policies.service.ts';
import { type Overrides, reachedHost } from './targets.service.ts';

/** Maximum duration of one call in milliseconds (contract/engines#device-limits). */
const CALL_MS = 600_000;

/** Options of a call; `requestId` is the id for the history. */
type CallOptions = {
  signal: AbortSignal;
  requestId: string | null;
  onResult?: (result: CommandResult) => void;
  /** Commands to run instead of the remaining ones after a failed command; absent: the remaining ones run. */
  otherwise?: readonly string[];
  /** Maximum number of commands in the call; absent: the limit for callers. */
  most?: number;
  /** Commands for the history; absent: those of the call. */
  noted?: readonly string[];
};

/** The result of a call (contract/endpoints#4.14; contract/engines#cli-result). */
export type CliResult = {
  /** partial: some commands did not succeed; failed: none did. */
  status: 'success' | 'partial' | 'failed';
  /** 0 when every command succeeded, else 1. */
  code: number;
  key: string;
  host: string;
  device_type: string;
  result: CommandResult[];
  session: CliRun['session'];
  timings: { started: string; queue_ms: number; connect_ms: number; total_ms: number };
};

/**
 * Runs commands sequentially in one session, on a host of the cli inventory or another address, with the caller's
 * rights. Any response of a device is data; a rejected command does not prevent the others.
 *
 * @param name of the host
 * @param commands lines without line ends, 1 to `most`
 * @param given overrides for this call; its `device_type` must be the host's
 * @throws ServiceError NOT_FOUND, CONFLICT, FORBIDDEN, BAD_REQUEST, UNPROCESSABLE_CONTENT before any connection;
 *   BAD_GATEWAY, GATEWAY_TIMEOUT, TOO_MANY_REQUESTS with `reason` and, if a session was open, `partial` (a `CliResult`)
 */
export async function runOnHost(
  call: DeviceContext,
  name: string,
  commands: readonly string[],
  {
    signal,
    requestId,
    onResult,
    otherwise,
    most = BOUNDS.commands,
    noted = commands,
    at = ['commands'],
    ...given
  }: CallOptions & Overrides & { at?: string[] },
): Promise<CliResult> {
  const reached = await prepared(call, name, commands, given, { at, most });
  const { platform } = call;
  const started = platform.now();
  const began = performance.now();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
  const done = (run: CliRun) => answeredOf(reached, run, started, performance.now() - began);
  const note = (
    status: 'success' | 'partial' | 'failed' | 'canceled',
    reason: string | null,
    run: CliRun | null,
  ) =>
    noteCall(
      { db: call.db, log: platform.log },
      {
        kind: 'cli',
        host: name,
        user: call.principal.username,
        started,
        durationMs: performance.now() - began,
        status,
        reason,
        requestId,
        commands: noted,
        secrets: secretsOf(reached),
        more: {
          device_type: run?.session?.device_type ?? reached.target.deviceType,
          ...(run?.session && {
            reused: run.session.reused,
            hostKey: run.session.host_key.fingerprint,
            algorithms: run.session.algorithms,
          }),
          bytes: (run?.result ?? []).reduce((sum, one) => sum + one.output_bytes, 0),
        },
      },
    );
  try {
    const run = await platform.cli.run(reached.target, commands, {
      commandMs: reached.commandMs,
      signal: ends,
      onResult,
      otherwise,
    });
    if (run.session) await noteSeen(call, reached, run.session.host_key);
    const answered = done(run);
    await note(answered.status, null, run);
    return answered;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const partial = error.extra?.partial as CliRun | undefined;
    if (partial?.session) await noteSeen(call, reached, partial.session.host_key);
    const reason = String(error.extra?.reason ?? error.code);
    await note(
      signal.aborted ? 'canceled' : partial?.result.length ? 'partial' : 'failed',
      reason,
      partial ?? null,
    );
    throw await recordedCall(call, error, reached, partial && done(partial));
  }
}

async function prepared(
  call: DeviceContext,
  name: string,
  commands: readonly string[],
  given: Overrides,
  { at, most }: { at: string[]; most: number },
) {
  const { platform } = call;
  const named = given.device_type;
  const type = named === undefined ? undefined : (canonicalDeviceType(named) ?? named);
  const driverOf = (deviceType: string) => platform.cli.drivers.find((one) => one.device_type === deviceType);
  if (type !== undefined && !driverOf(type))
    throw unprocessable(
      `The device_type ${JSON.stringify(type.slice(0, 100))} is not supported${deviceTypeSuggestion(type)}: GET /automationgateway/cli/device_types lists them`,
    );
  if (commands.length === 0 || commands.length > most) {
    assertNone([issue(at, `must be 1 to ${most} commands`, commands.length === 0 ? 'too_small' : 'too_big')]);
  }
  // Invalid commands are rejected before the response reveals whether the host exists.
  assertNone(
    commandIssues(commands, at, type === undefined ? false : (driverOf(type)?.abbreviates ?? false)),
  );
  const reached = await reachedHost(call, name, { ...given, device_type: type });
  const driver = driverOf(reached.target.deviceType);
  if (!driver)
    throw unprocessable(`No driver exists for the device_type ${reached.target.deviceType} of host ${name}`);
  assertNone(commandIssues(commands, at, driver.abbreviates));
  await assertPolicy(call, { host: name, driver, commands });
  return reached;
}

const secretsOf = ({ target }: Reached): string[] =>
  [target.password, target.enablePassword, target.passphrase].filter((one) => one !== undefined);

const answeredOf = (
  { target }: Reached,
  { result, session }: CliRun,
  started: Date,
  totalMs: number,
): CliResult => {
  const good = result.filter(({ status }) => status === 'success').length;
  const status = result.length > 0 && good === result.length ? 'success' : good > 0 ? 'partial' : 'failed';
  return {
    status,
    code: status === 'success' ? 0 : 1,
    key: target.name,
    host: target.name,
    device_type: session?.device_type ?? target.deviceType,
    result,
    session,
    timings: {
      started: started.toISOString(),
      queue_ms: session?.queue_ms ?? 0,
      connect_ms: session?.connect_ms ?? 0,
      total_ms: Math.round(totalMs * 100) / 100,
    },
  };
};

/** Returns the error for the caller: partial results in the format of a success; 404 for an unknown name. */
async function recordedCall(
  call: DeviceContext,
  error: ServiceError,
  reached: Reached,
  partial: CliResult | undefined,
) {
  const { hostKey, partial: _, ...extra } = error.extra ?? {};
  if (extra.reason === 'DNS' && !reached.stored) return notFound('Host', reached.target.name);
  const rejected = hostKey as { expected: string | null; seen: string; algorithm: string } | undefined;
  if (rejected && error.extra?.host === reached.target.name) {
    await recordRejectedKey(call, reached, { algorithm: rejected.algorithm, fingerprint: rejected.seen });
  }
  return new ServiceError(error.code, error.message, {
    extra: { ...extra, ...(rejected && { hostKey: rejected }), ...(partial && { partial }) },
    headers: error.headers,
  });
}

/**
 * Opens a new session on a host and finds its prompt (contract/lifecycle#12); failures are returned, not thrown.
 *
 * @returns `ok`; `latencyMs`: duration in milliseconds; `detail`: the problem, or how the host responds; `hostKey`:
 *   the key that it showed
 * @throws ServiceError NOT_FOUND, CONFLICT
 */
export async function testHost(call: DeviceContext, name: string, signal: AbortSignal) {
  const reached = await reachedHost(call, name, {});
  const began = performance.now();
  const took = () => elapsedMs(began);
  try {
    const { prompt, session } = await call.platform.cli.probe(reached.target, signal);
    await noteSeen(call, reached, session.host_key);
    if (reached.stored) await recordTest(call, reached.stored.id, true);
    const { kex, profile } = session.algorithms;
    return {
      ok: true,
      latencyMs: took(),
      prompt,
      detail: `The host responds as ${session.device_type}; ${profile} algorithms, ${kex}`,
      hostKey: session.host_key,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const rejected = error.extra?.hostKey as { seen: string; algorithm: string } | undefined;
    const hostKey = rejected && { algorithm: rejected.algorithm, fingerprint: rejected.seen };
    if (hostKey) await recordRejectedKey(call, reached, hostKey);
    if (reached.stored && !signal.aborted) await recordTest(call, reached.stored.id, false);
    return {
      ok: false,
      latencyMs: took(),
      detail: error.message,
      reason: String(error.extra?.reason ?? error.code),
      ...(hostKey && { hostKey }),
    };
  }
}
