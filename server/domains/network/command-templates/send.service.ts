import { ServiceError } from '#server/kernel/errors.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';
import { type CliResult, runOnHost } from '../gateway/cli.service.ts';
import { BOUNDS } from '../gateway/command-rules.ts';
import type { DeviceContext } from '../gateway/targets.service.ts';
import type { Answer } from './plan.ts';
import type { SendToDevice } from './run.ts';

/** How a run came to be; aborted: nobody waits for it any more. */
export type RunOrigin = { signal: AbortSignal; requestId: string | null };

/** @throws ServiceError CLIENT_CLOSED_REQUEST when nobody waits for the run any more: what it has is no result */
function assertAwaited({ signal }: RunOrigin): void {
  if (signal.aborted) throw new ServiceError('CLIENT_CLOSED_REQUEST', 'The run was canceled');
}

/**
 * Commands through the gateway, on behalf of the caller: on hosts of the cli inventory.
 *
 * @throws ServiceError CLIENT_CLOSED_REQUEST
 */
export const throughGateway =
  (call: DeviceContext, asked: RunOrigin): SendToDevice =>
  async (device, commands) => {
    const answers: Answer[] = [];
    for (let at = 0; at < commands.length; at += BOUNDS.commands) {
      assertAwaited(asked);
      answers.push(...(await sent(call, asked, device, commands.slice(at, at + BOUNDS.commands))));
    }
    assertAwaited(asked);
    return answers;
  };

async function sent(
  call: DeviceContext,
  asked: RunOrigin,
  device: string,
  commands: readonly string[],
): Promise<Answer[]> {
  try {
    const { result } = await runOnHost(call, device, commands, asked);
    return result.map(answerOf);
  } catch (error) {
    if (!(error instanceof ServiceError)) return unexpected(call, error, device, commands);
    // One command that may not be sent does not keep the others back.
    if (commands.length > 1 && isAboutCommands(error)) return oneByOne(call, asked, device, commands);
    const partial = error.extra?.partial as CliResult | undefined;
    const told = partial?.result.map(answerOf) ?? [];
    const why = error.issues?.map(({ message }) => message).join('; ') ?? error.message;
    return commands.map((_, at) => told[at] ?? { output: '', taken: false, error: why });
  }
}

async function oneByOne(call: DeviceContext, asked: RunOrigin, device: string, commands: readonly string[]) {
  const answers: Answer[] = [];
  for (const command of commands) answers.push(...(await sent(call, asked, device, [command])));
  return answers;
}

/** Refused for what the commands are, before any device was reached. */
const isAboutCommands = ({ code, extra }: ServiceError): boolean =>
  code === 'BAD_REQUEST' || extra?.reason === 'POLICY_DENIED';

/** A fault of ours on one device is logged, and told as one; the others go on. */
function unexpected(
  { platform }: DeviceContext,
  error: unknown,
  device: string,
  commands: readonly string[],
): Answer[] {
  platform.log.error({ err: error, host: device }, 'commands of a template failed');
  return commands.map(() => ({ output: '', taken: false, error: 'Internal error' }));
}

function answerOf({ status, output, truncated, failed_when, prompt }: CommandResult): Answer {
  const taken = status === 'success';
  const error = faultOf();
  return { output, taken, ...(error !== undefined && { error }) };

  function faultOf(): string | undefined {
    if (failed_when === 'INTERACTIVE_PROMPT') return `The device asked what nobody answers: ${prompt}`;
    if (status === 'incomplete') return 'The device had not ended its answer';
    if (status === 'skipped') return 'The command was not sent: the session had ended';
    return truncated ? 'The answer is longer than is kept' : undefined;
  }
}
