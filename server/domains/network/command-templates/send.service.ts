import { isUnavailable } from '#db/client.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';
import { type CliResult, runOnHost } from '../gateway/cli.service.ts';
import { BOUNDS } from '../gateway/command-rules.ts';
import { withoutConfigurationSecrets } from '../gateway/command-secrets.ts';
import type { Answer } from './plan.ts';
import type { SendToDevice } from './run.ts';

/** The request of a run; `signal` aborts when nobody waits for the result. */
export type RunOrigin = { signal: AbortSignal; requestId: string | null };

/** @throws ServiceError CLIENT_CLOSED_REQUEST when nobody waits for the run, whose partial results are of no use then */
function assertAwaited({ signal }: RunOrigin): void {
  if (signal.aborted) throw new ServiceError('CLIENT_CLOSED_REQUEST', 'The run was canceled');
}

/**
 * Sends commands through the gateway to hosts of the cli inventory, with the caller's rights. A caller who reads masks gets
 * masks, so that no rule tells whether a guess of a secret is right (decision 0153).
 *
 * @throws ServiceError CLIENT_CLOSED_REQUEST
 */
export const throughGateway =
  (call: DeviceContext, origin: RunOrigin): SendToDevice =>
  async (device, commands) => {
    const answers: Answer[] = [];
    for (let at = 0; at < commands.length; at += BOUNDS.commands) {
      assertAwaited(origin);
      answers.push(...(await sent(call, origin, device, commands.slice(at, at + BOUNDS.commands))));
    }
    assertAwaited(origin);
    return seesConfigurationSecrets(call.principal) ? answers : Promise.all(answers.map(masked));
  };

const masked = async (answer: Answer): Promise<Answer> => ({
  ...answer,
  output: await withoutConfigurationSecrets(answer.output),
});

async function sent(
  call: DeviceContext,
  origin: RunOrigin,
  device: string,
  commands: readonly string[],
): Promise<Answer[]> {
  try {
    const { result } = await runOnHost(call, device, commands, origin);
    return result.map(answerOf);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      if (isUnavailable(error)) throw error;
      return unexpected(call, error, device, commands);
    }
    // One rejected command does not prevent the others from being sent.
    if (commands.length > 1 && isAboutCommands(error)) return oneByOne(call, origin, device, commands);
    const partial = error.extra?.partial as CliResult | undefined;
    const received = partial?.result.map(answerOf) ?? [];
    const why = error.issues?.map(({ message }) => message).join('; ') ?? error.message;
    return commands.map((_, at) => received[at] ?? { output: '', taken: false, error: why });
  }
}

async function oneByOne(call: DeviceContext, origin: RunOrigin, device: string, commands: readonly string[]) {
  const answers: Answer[] = [];
  for (const command of commands) answers.push(...(await sent(call, origin, device, [command])));
  return answers;
}

/** Returns whether an error is about the commands themselves, before a device was reached. */
const isAboutCommands = ({ code, extra }: ServiceError): boolean =>
  code === 'BAD_REQUEST' || extra?.reason === 'POLICY_DENIED';

/** Logs an internal error and returns it as the response of this device; the run continues with the others. */
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
    if (failed_when === 'INTERACTIVE_PROMPT')
      return `The device prompted for input that cannot be sent: ${prompt}`;
    if (status === 'incomplete') return 'The device did not finish its response';
    if (status === 'skipped') return 'The command was not sent: the session had ended';
    return truncated ? 'The response is longer than the limit and was truncated' : undefined;
  }
}
