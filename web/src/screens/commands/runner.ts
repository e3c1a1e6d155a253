import { api, type Inputs, type Outputs } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { failedChecks, type Rule } from './checks.ts';

type Sent = Outputs['automationgateway']['sendCommand']['result'][number];

/** A command on a device, as the table shows it. */
export type Row = {
  key: string;
  device: string;
  command: string;
  status: Sent['status'] | 'waiting' | 'running';
  output: string;
  elapsedMs?: number;
  /** Why it failed: what the device said, or why it could not be asked. */
  reason?: string;
  isTruncated?: boolean;
  rules?: readonly Rule[];
};

/** Sign-in data for this run alone; they are sent with each call and kept nowhere. */
export type Credentials = { username: string; password: string };

/** What is run: commands, or a stored template with its variables. */
export type Plan =
  | { kind: 'commands'; commands: readonly string[]; credentials?: Credentials }
  | { kind: 'template'; template: string; variables: Record<string, unknown> };

export type RunOne = (device: string, signal: AbortSignal) => Promise<Row[]>;

type Waiting = Pick<Row, 'status'>;

/** The rows of a device before it has answered. */
export const rowsBefore = (plan: Plan, device: string, { status }: Waiting): Row[] =>
  (plan.kind === 'commands' ? plan.commands : [plan.template]).map((command, index) => ({
    key: `${device}\n${index}`,
    device,
    command,
    status,
    output: '',
  }));

/**
 * Returns the function that runs a plan on one device.
 *
 * @param isGateway whether the account may call the gateway itself, which also returns times and skipped commands
 */
export function runnerOf(plan: Plan, isGateway: boolean): RunOne {
  return async (device, signal) => {
    try {
      if (plan.kind === 'template') return await runTemplate(plan, device, signal);
      if (!isGateway) return await runOneByOne(plan.commands, device, signal);
      const deviceType = await deviceTypeOf(device, signal);
      // A device of an orchestrator is no host of the gateway.
      if (deviceType === undefined) return await runOneByOne(plan.commands, device, signal);
      return await runAtGateway(plan, device, deviceType, signal);
    } catch (error) {
      return rowsOfFailure(plan, device, error, signal.aborted);
    }
  };
}

/** The command that failed says why; those before it have what they answered, those after it were not sent. */
function rowsOfFailure(plan: Plan, device: string, error: unknown, isStopped: boolean): Row[] {
  const { message, data } = problemOf(error);
  const partial = partialOf(data);
  return rowsBefore(plan, device, { status: 'skipped' }).map((row, index): Row => {
    const answered = partial[index];
    if (answered) return { ...answered, key: row.key, device };
    if (index > partial.length) return row;
    return { ...row, status: 'failed', reason: isStopped ? 'stopped' : message };
  });
}

async function deviceTypeOf(name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const host = await api.automationgateway.getHost.query({ kind: 'cli', name }, { signal });
    return 'device_type' in host && typeof host.device_type === 'string' ? host.device_type : undefined;
  } catch (error) {
    if (problemOf(error).status === 404) return undefined;
    throw error;
  }
}

type CommandsPlan = Extract<Plan, { kind: 'commands' }>;
type Options = Inputs['automationgateway']['sendCommand']['cliSendCommandParameters']['connection_options'];

async function runAtGateway(
  { commands, credentials }: CommandsPlan,
  device: string,
  deviceType: string,
  signal: AbortSignal,
): Promise<Row[]> {
  const options: Options = { device_type: deviceType, ...credentials };
  const { result } = await api.automationgateway.sendCommand.mutate(
    { cliSendCommandParameters: { host: device, commands: [...commands], connection_options: options } },
    { signal },
  );
  return result.map((sent, index) => rowOf(sent, device, index));
}

const rowOf = (sent: Sent, device: string, index: number): Row => ({
  key: `${device}\n${index}`,
  device,
  command: sent.command,
  status: sent.status,
  output: sent.output,
  elapsedMs: sent.elapsed_ms,
  isTruncated: sent.truncated,
  ...(sent.failed_when && { reason: sent.failed_when }),
});

/** Every role that runs commands may do this; the times are those of the browser. */
async function runOneByOne(commands: readonly string[], device: string, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, command] of commands.entries()) {
    const started = performance.now();
    const [sent] = await api.mop.runCommandDevices.mutate({ command, devices: [device] }, { signal });
    rows.push({
      key: `${device}\n${index}`,
      device,
      command,
      status: sent?.result ? 'success' : 'failed',
      output: sent?.response ?? '',
      elapsedMs: performance.now() - started,
      ...(sent?.error && { reason: sent.error }),
    });
  }
  return rows;
}

type TemplatePlan = Extract<Plan, { kind: 'template' }>;

async function runTemplate(
  { template, variables }: TemplatePlan,
  device: string,
  signal: AbortSignal,
): Promise<Row[]> {
  const run = await api.mop.runCommandTemplate.mutate({ template, devices: [device], variables }, { signal });
  return run.commands_results.map(({ evaluated, response, result, error, rules }, index): Row => {
    const reason = error ?? (result ? '' : failedChecks(rules));
    return {
      key: `${device}\n${index}`,
      device,
      command: evaluated,
      status: result ? 'success' : 'failed',
      output: response,
      rules,
      ...(reason && { reason }),
    };
  });
}

/** What a device had answered before the call failed: the error carries it. */
function partialOf(data: unknown): Row[] {
  if (typeof data !== 'object' || data === null || !('partial' in data)) return [];
  const { partial } = data as { partial: unknown };
  if (!Array.isArray(partial)) return [];
  return partial.flatMap((one: unknown, index): Row[] =>
    typeof one === 'object' && one !== null && 'command' in one ? [rowOf(one as Sent, '', index)] : [],
  );
}
