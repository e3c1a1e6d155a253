import { type Database, isUnavailable } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { parseText, type TextFsmRecord } from '#server/domains/assets/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { reasonOf, translateFault } from '#server/kernel/observability/faults.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';
import { type CliResult, runOnHost } from './cli.service.ts';
import { withoutConfigurationSecrets, withoutSecrets } from './command-secrets.ts';
import type { Overrides } from './targets.service.ts';

/** How to parse the output of a command: a stored TextFSM template, or one in the request. */
export type Parsing = {
  command: string;
  template?: string | undefined;
  name?: string | undefined;
  group?: string | undefined;
};

type SendRequest = { commands: readonly string[]; parse?: readonly Parsing[] | undefined };
type CallOptions = { signal: AbortSignal; requestId: string | null };

/** A result with the records that a template extracted, or the reason why that failed. */
export type Parsed = CommandResult & { parsed?: TextFsmRecord[]; parse_error?: string };

/** The response of the documented endpoint. */
export type SendResult = Omit<CliResult, 'result'> & { result: Parsed[] };

/**
 * Runs commands on a host (contract/endpoints#4.14).
 *
 * @param host name of a host of the inventory
 * @param commands lines without line ends
 * @param connection_options override the host's settings for this call
 * @throws ServiceError as runOnHost
 */
export async function sendCommand(
  call: DeviceContext,
  {
    host,
    commands,
    connection_options,
  }: { host: string; commands: readonly string[]; connection_options: Overrides },
  how: CallOptions,
): Promise<SendResult> {
  return runOnHost(call, host, commands, {
    ...connection_options,
    ...how,
    at: ['cliSendCommandParameters', 'commands'],
  });
}

async function parsedBy(
  call: DeviceContext,
  results: readonly CommandResult[],
  parse: readonly Parsing[] = [],
): Promise<Parsed[]> {
  const read: Parsed[] = [];
  for (const result of results) {
    const wanted = parse.find(({ command }) => command === result.command);
    read.push(
      wanted && result.status === 'success'
        ? { ...result, ...(await reading(call, wanted, result.output)) }
        : result,
    );
  }
  return read;
}

/**
 * Parses an output; a template that fails is reported without withholding the output. A caller who reads masks has masks
 * parsed: nothing announces a secret that stands in a record alone (decision 0153).
 */
async function reading(call: DeviceContext, { template, name, group }: Parsing, output: string) {
  try {
    const by = template ?? { name: name ?? '', group };
    const text = seesConfigurationSecrets(call.principal)
      ? output
      : await withoutConfigurationSecrets(output);
    return { parsed: await parseText(call, by, `${text}\n`) };
  } catch (error) {
    // The commands were sent: their output is not withheld because its template could not be read.
    if (error instanceof ServiceError || isUnavailable(error)) return { parse_error: reasonOf(error) };
    throw error;
  }
}

/** Default number of hosts processed concurrently in one call. */
const AT_ONCE = 16;

/** The result of one host. */
export type OnHost =
  | ({ host: string; ok: true } & SendResult)
  | { host: string; ok: false; status: 'failed'; error: Record<string, unknown> };

/** The last line: the number of hosts and of failures. */
export type Summary = { done: true; hosts: number; ok: number; failed: number; total_ms: number };

/**
 * Runs the same commands on many hosts and yields each result when it is available. An unknown or failing host does not
 * stop the others.
 *
 * @param atOnce number of concurrent hosts, at most 64
 */
export async function* sendToMany(
  call: DeviceContext,
  {
    hosts,
    commands,
    parse,
    options,
    atOnce = AT_ONCE,
  }: SendRequest & { hosts: readonly string[]; options: Overrides; atOnce?: number | undefined },
  how: CallOptions,
): AsyncGenerator<OnHost | Summary> {
  const began = performance.now();
  const names = [...new Set(hosts)];
  const waiting = names.values();
  const done: OnHost[] = [];
  let failed = 0;
  let running = 0;
  let wake: () => void = () => undefined;
  const work = async () => {
    for (const host of waiting) {
      if (how.signal.aborted) return;
      done.push(await onHost(call, { host, commands, parse, options }, how));
      wake();
    }
  };
  const workers = Array.from({ length: Math.min(atOnce, names.length) }, () => {
    running += 1;
    return work().finally(() => {
      running -= 1;
      wake();
    });
  });
  while (running > 0 || done.length > 0) {
    const next = done.shift();
    if (next) {
      if (!next.ok) failed += 1;
      yield next;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  await Promise.all(workers);
  yield {
    done: true,
    hosts: names.length,
    ok: names.length - failed,
    failed,
    total_ms: Math.round(performance.now() - began),
  };
}

async function onHost(
  call: DeviceContext,
  { host, commands, parse, options }: SendRequest & { host: string; options: Overrides },
  how: CallOptions,
): Promise<OnHost> {
  try {
    const answered = await runOnHost(call, host, commands, { ...options, ...how });
    return { ...answered, host, ok: true, result: await parsedBy(call, answered.result, parse) };
  } catch (error) {
    if (!(error instanceof ServiceError))
      call.platform.log.error({ err: error, host }, 'commands on a host failed');
    const known = translateFault(error) ?? new ServiceError('INTERNAL_SERVER_ERROR', 'Internal error');
    return {
      host,
      ok: false,
      status: 'failed',
      error: {
        ...known.extra,
        code: known.code,
        message: known.message,
        ...(known.issues && { issues: known.issues }),
      },
    };
  }
}

/**
 * Records in the audit row which commands were sent to which host, with masked secrets, and the outcome.
 *
 * @param host name of the host
 * @param commands lines that were sent
 * @param outcome what happened, such as `success in 20 ms`
 */
export function noteSent(tx: Database, host: string, commands: readonly string[], outcome: string): void {
  const said = commands.map((command) => withoutSecrets(command)).join('; ');
  noteChange(tx, { kind: 'cli calls', id: host, name: clipped(`${outcome}: ${said}`, 200) });
}
