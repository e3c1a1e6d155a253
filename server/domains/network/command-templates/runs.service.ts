import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import type { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import type { Selection } from '#db/schemas/network/selection.ts';
import { calculateText } from '#server/kernel/calculations/calculation-pool.ts';
import type { DeviceContext, ReadContext } from '#server/kernel/contexts.ts';
import { conflict, invalid, invalidRequest, unprocessable } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { compareTexts } from '#server/kernel/text/text-comparison.service.ts';
import type { Difference } from '#server/kernel/text/text-differences.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { withoutSecrets } from '../gateway/command-secrets.ts';
import { requestedDevices } from './devices.service.ts';
import { templateNamed } from './mop.service.ts';
import { MOST_COMMANDS, type PlannedCommand, planned } from './plan.ts';
import { type CommandEntry, type RunResult, runResult } from './results.ts';
import type { AnalyticResult, ComparedEntry } from './rules/analytic.ts';
import { compareInTime, holdAnswers } from './rules/calculate.service.ts';
import { evalIssues } from './rules/rules.ts';
import { sidesOf } from './rules/texts.ts';
import { runOnDevices } from './run.ts';
import { type RunOrigin, throughGateway } from './send.service.ts';
import type { TemplateTrial, TriedTemplate } from './trial.ts';
import { scopeCount, type Values } from './variables.ts';

/** Maximum number of entries in one run. */
const MOST_ENTRIES = 20_000;

type Devices = string | readonly string[];

/** The devices of a run: names, a selection, or both. */
type DeviceRequest = { devices?: Devices | undefined; selection?: Selection | undefined };

/**
 * Runs a command template on devices and device groups (contract/lifecycle#7). A device without a response yields
 * entries with `error`; the run continues with the others.
 *
 * @param template name of the template
 * @param variables values of the variables in its commands
 * @throws ServiceError NOT_FOUND; BAD_REQUEST naming each unknown device; CONFLICT when the template is a draft
 */
export async function runTemplate(
  call: DeviceContext,
  {
    template: name,
    devices,
    selection,
    variables = {},
  }: DeviceRequest & { template: string; variables?: Values | undefined },
  origin: RunOrigin,
): Promise<RunResult> {
  const template = await runnableNamed(call, name);
  return ran(call, template, { devices, selection, variables }, origin);
}

/**
 * Runs one command of a command template (contract/lifecycle#7).
 *
 * @param commandIndex its index, from 0
 * @throws ServiceError NOT_FOUND; BAD_REQUEST; CONFLICT when the template is a draft
 */
export async function runSingleCommand(
  call: DeviceContext,
  {
    templateId,
    commandIndex,
    devices,
    selection,
    variables = {},
  }: DeviceRequest & { templateId: string; commandIndex: number; variables?: Values | undefined },
  origin: RunOrigin,
): Promise<RunResult> {
  const template = await runnableNamed(call, templateId);
  const command = template.commands?.[commandIndex];
  if (!command) {
    const last = (template.commands?.length ?? 0) - 1;
    const message = last < 0 ? 'the template has no commands' : `must be 0 to ${last}`;
    throw invalidRequest([issue(['commandIndex'], message, 'out_of_range')]);
  }
  return ran(call, { ...template, commands: [command] }, { devices, selection, variables }, origin);
}

/** Returns a command template to run. @throws ServiceError NOT_FOUND, CONFLICT with the errors of a draft */
async function runnableNamed(call: DeviceContext, name: string): Promise<CommandTemplate> {
  const template = await templateNamed<CommandTemplate>(call, 'mopCommandTemplate', name);
  const issues = evalIssues(template, []);
  const [first] = issues;
  if (!first) return template;
  throw conflict(
    `Command template ${name} is a draft and cannot run: ${first.path.join('.')} ${first.message}`,
    { issues: issues.slice(0, MOST_ISSUES) },
  );
}

/** Maximum number of issues in one error. */
const MOST_ISSUES = 100;

async function ran(
  call: DeviceContext,
  template: CommandTemplate,
  { variables, ...devices }: DeviceRequest & { variables: Values },
  origin: RunOrigin,
): Promise<RunResult> {
  const entries = await entriesOf(call, planned(template, variables), devices, origin);
  return runResult(template, entries);
}

async function entriesOf(
  call: DeviceContext,
  commands: readonly PlannedCommand[],
  { devices, selection }: DeviceRequest,
  origin: RunOrigin,
  at = 'devices',
): Promise<CommandEntry[]> {
  const names = await requestedDevices(call, devices, [at], selection);
  const most = Math.min(MOST_COMMANDS, Math.floor(MOST_ENTRIES / names.length));
  if (commands.length > most) {
    const message = `make ${commands.length} commands for each of ${names.length} devices: at most ${most} commands are run`;
    throw invalidRequest([issue(['variables'], message, 'too_big')]);
  }
  return runOnDevices(commands, names, throughGateway(call, origin), holdAnswers);
}

/** The result of a command without rules. */
export type BareEntry = Pick<CommandEntry, 'raw' | 'evaluated' | 'device' | 'response' | 'result'> & {
  error?: string;
};

/**
 * Sends a command to devices and device groups (contract/lifecycle#7), once per element if a variable is a list. The
 * result is whether the device accepted it.
 *
 * @param command one line, with variables as `<!name!>`
 * @param variables values of the variables
 * @returns one entry for each command and device
 * @throws ServiceError BAD_REQUEST naming each unknown device
 */
export async function runCommandOnDevices(
  call: DeviceContext,
  {
    command,
    variables = {},
    ...devices
  }: DeviceRequest & { command: string; variables?: Values | undefined },
  origin: RunOrigin,
): Promise<BareEntry[]> {
  const commands = planned({ commands: [{ command }] }, variables);
  return (await entriesOf(call, commands, devices, origin)).map(bare);
}

/**
 * Sends a command to one device (contract/lifecycle#7).
 *
 * @param command one line, with variables as `<!name!>`
 * @param device name of the device
 * @param variables values of the variables
 * @throws ServiceError BAD_REQUEST when the device is unknown, or a variable of the command is a list
 */
export async function runCommand(
  call: DeviceContext,
  { command, device, variables = {} }: { command: string; device: string; variables?: Values | undefined },
  origin: RunOrigin,
): Promise<BareEntry> {
  const commands = planned({ commands: [{ command }] }, variables);
  if (commands.length > 1) {
    throw invalidRequest([
      issue(['variables'], 'turn the command into several: send them with RunCommandDevices', 'list'),
    ]);
  }
  const [entry, second] = await entriesOf(call, commands, { devices: device }, origin, 'device');
  if (!entry || second) throw invalidRequest([issue(['device'], 'must be a single device', 'too_many')]);
  return bare(entry);
}

const bare = ({ raw, evaluated, device, response, result, error }: CommandEntry): BareEntry => ({
  raw,
  evaluated,
  device,
  response,
  result,
  ...(error !== undefined && { error }),
});

/**
 * Applies the rules of a template, stored or not, to outputs that the caller sends. No device is contacted. It runs in a
 * thread: variables that are lists repeat commands and rules, so that a small request may be costly.
 *
 * @param outputs of the commands, in order; null: none
 * @param variables values of the variables in commands and rules
 * @returns the result of each command and rule, as JSON text
 * @throws ServiceError BAD_REQUEST for too many commands or outputs; UNPROCESSABLE_CONTENT when it takes too much time or
 *   memory; TOO_MANY_REQUESTS
 */
export async function testTemplate({
  template,
  outputs,
  variables = {},
}: Omit<TemplateTrial, 'variables'> & { variables?: Values | undefined }): Promise<JsonText<TriedTemplate>> {
  const { commands = [] } = template;
  if (commands.length > MOST_COMMANDS)
    throw invalid(['template', 'commands'], `must be at most ${MOST_COMMANDS}`, 'too_big');
  if (outputs.length > commands.length)
    throw invalid(['outputs'], `must be at most one for each of the ${commands.length} commands`, 'too_big');
  const count = commands.reduce((sum, { command }) => sum + scopeCount(command, variables), 0);
  if (count > MOST_COMMANDS) {
    const message = `make ${count} commands: at most ${MOST_COMMANDS} are tried`;
    throw invalid(['variables'], message, 'too_big');
  }
  const trial: TemplateTrial = { template, outputs, variables };
  return json(
    await calculateText('test of a command template', trial, (reason) =>
      unprocessable(`Applying the rules to these outputs ${reason}`),
    ),
  );
}

/** A run as a caller sends it: the complete result of a run. */
export type RunInput = {
  commands_results?: readonly ComparedEntry[] | undefined;
  command_results?: readonly ComparedEntry[] | undefined;
};

/**
 * Compares a run before a change with one after it by an analytic template (contract/lifecycle#7), without contacting
 * devices.
 *
 * @param byDevice compare each device with itself; otherwise a run must have each command exactly once
 * @throws ServiceError NOT_FOUND; BAD_REQUEST naming each command that a run does not have exactly once
 */
export async function runAnalyticTemplate(
  ctx: ReadContext,
  {
    pre,
    post,
    analytic_template_name: name,
    variables = {},
  }: { pre: RunInput; post: RunInput; analytic_template_name: string; variables?: Values | undefined },
  { byDevice }: { byDevice: boolean },
): Promise<AnalyticResult> {
  const template = await templateNamed<AnalyticTemplate>(ctx, 'mopAnalyticTemplate', name);
  const runs = {
    pre: pre.commands_results ?? pre.command_results,
    post: post.commands_results ?? post.command_results,
  };
  const missing = (['pre', 'post'] as const).filter((member) => runs[member] === undefined);
  assertNone(
    missing.map((member) =>
      issue([member, 'commands_results'], 'must be set: send the result of a run', 'missing'),
    ),
  );
  const sides = { pre: runs.pre ?? [], post: runs.post ?? [] };
  const compared = await compareInTime([template, sides, variables, { byDevice }]);
  if (compared.issues) throw invalidRequest(compared.issues);
  return compared.answer;
}

/**
 * Returns the line differences between two texts or two runs (contract/lifecycle#7).
 *
 * @param pre text, or result of a run; the older one
 * @param post text, or result of a run; the newer one
 * @throws ServiceError UNPROCESSABLE_CONTENT when the sides are too large
 */
export function diffRuns(pre: unknown, post: unknown): Promise<Difference[]> {
  const { before, after } = sidesOf(pre, post);
  return compareTexts(before, after, 'line');
}

/**
 * Records in the audit row what was run on which devices, with masked secrets, and the result.
 *
 * @param what the command, or the name of the template
 * @param result whether every rule passed; null: only sent, without rules
 */
export function noteRun(
  tx: Database,
  what: string,
  devices: Devices | undefined,
  result: boolean | null,
): void {
  const names = typeof devices === 'string' ? [devices] : (devices ?? ['a selection']);
  const summary = `${result === null ? 'sent' : result ? 'passed' : 'failed'}: ${withoutSecrets(what)}`;
  noteChange(tx, {
    kind: 'mop runs',
    id: clipped(names.slice(0, 5).join(', '), 200),
    name: clipped(summary, 200),
  });
}
