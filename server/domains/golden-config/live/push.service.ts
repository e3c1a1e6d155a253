import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { commandIssues, runOnHost, withoutSecretsOf } from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';
import {
  linesCounted,
  linesOf,
  MOST_LINES,
  type PushedLine,
  pushedLines,
  unsendableLineIssues,
} from './config-text.ts';
import { withDeviceLock } from './keyed-semaphore.service.ts';
import { backUpDevice } from './live-backup.service.ts';
import { callOptionsOf, deviceFault, originOf, unsupportedBy } from './origin.service.ts';

type PushOptions = {
  dryRun?: boolean | undefined;
  backup?: boolean | undefined;
  /** Path of the lines in the request, for issues. */
  at?: string[] | undefined;
};

/** The result of a push. */
export type Pushed = { status: 'success'; message: string; result: PushedLine[]; backupId?: string };

const AT = ['config', 'config'];

/**
 * Pushes lines to a device in order and stops at the first one that it rejects (contract/lifecycle#4.1). Takes a backup
 * before, unless disabled; only one change at a time runs on a device. On devices with a candidate configuration, all lines
 * apply or none; on others, the lines before the rejected one remain.
 *
 * @param config configuration lines, separated by line ends
 * @throws ServiceError NOT_FOUND, BAD_REQUEST, UNPROCESSABLE_CONTENT, CONFLICT before anything is sent; BAD_GATEWAY and
 *   GATEWAY_TIMEOUT with the lines as `data` and the id of the backup as `backupId`
 */
export async function pushConfiguration(
  call: DeviceContext,
  name: string,
  config: string,
  { dryRun = false, backup = true, at = AT }: PushOptions = {},
): Promise<Pushed> {
  const { lines, configuring } = await sendableLines(call, name, config, at);
  if (dryRun && !configuring.check) {
    return {
      status: 'success',
      message: `Nothing was sent: ${name} does not support dry runs. ${linesCounted(lines.length)} would be sent`,
      result: pushedLines(lines, [], 0),
    };
  }
  return withDeviceLock(call, name, async () => {
    const taken =
      backup && !dryRun ? await backUpDevice(call, name, { description: 'before a push' }) : undefined;
    const result = await pushLines(call, name, { lines, configuring, dryRun, backupId: taken?.id });
    const message = dryRun
      ? `${name} would accept ${linesCounted(lines.length)}; nothing was committed`
      : `Pushed ${linesCounted(lines.length)} to ${name}`;
    return { status: 'success' as const, message, result, ...(taken && { backupId: taken.id }) };
  });
}

/** Returns the lines of a text to send to a device. @throws ServiceError NOT_FOUND, BAD_REQUEST, UNPROCESSABLE_CONTENT */
export async function sendableLines(call: DeviceContext, name: string, config: string, at: string[] = AT) {
  const origin = await originOf(call, name);
  if (origin.via !== 'cli' || !origin.config?.enter) throw unsupportedBy(origin, 'change the configuration');
  const configuring = origin.config;
  const lines = linesOf(config, configuring);
  if (lines.length === 0 || lines.length > MOST_LINES)
    assertNone([issue(at, `must have 1 to ${MOST_LINES} lines`)]);
  assertNone([...commandIssues(lines, at, true), ...unsendableLineIssues(lines, origin.ostype, at)]);
  return { lines, configuring };
}

type Push = {
  lines: readonly string[];
  configuring: Configuring;
  dryRun?: boolean;
  backupId?: string | undefined;
};

/**
 * Sends lines to a device whose lock the caller holds.
 *
 * @throws ServiceError as pushConfiguration
 */
export async function pushLines(
  call: DeviceContext,
  name: string,
  { lines, configuring, dryRun = false, backupId }: Push,
): Promise<PushedLine[]> {
  const { enter = [], apply = [], check = [], leave = [], abandon = [] } = configuring;
  const after = dryRun ? [...check, ...abandon] : [...apply, ...leave];
  const errorData = (answered: readonly CommandResult[]) => ({
    data: pushedLines(lines, answered, enter.length),
    ...(backupId !== undefined && { backupId }),
  });
  const answered: CommandResult[] = [];
  try {
    await runOnHost(call, name, [...enter, ...lines, ...after], {
      ...callOptionsOf(call),
      onResult: (result) => void answered.push(result),
      otherwise: abandon,
      most: enter.length + lines.length + after.length,
      noted: [...enter, `(${lines.length} lines of configuration)`, ...after],
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { data, ...more } = errorData(answered);
    const { partial: _, ...extra } = error.extra ?? {};
    throw new ServiceError(error.code, error.message, {
      ...(answered.length > 0 && { data }),
      ...(error.issues && { issues: error.issues }),
      extra: { ...extra, ...more },
      ...(error.headers && { headers: error.headers }),
    });
  }
  const at = answered.findIndex(({ status }) => status === 'failed');
  const rejected = answered[at];
  if (!rejected) return pushedLines(lines, answered, enter.length);
  const reason = rejected.failed_when ?? '';
  const isLine = at >= enter.length && at < enter.length + lines.length;
  throw isLine
    ? deviceFault(
        name,
        'LINE_REFUSED',
        `line ${at - enter.length + 1} was rejected: ${withoutSecretsOf(rejected.command, reason)}`,
        errorData(answered),
      )
    : deviceFault(
        name,
        'COMMAND_REFUSED',
        `"${rejected.command}" is rejected: ${reason}`,
        errorData(answered),
      );
}

/** Adds a push to the audit row. @param device name of the device */
export const notePushed = (tx: Database, device: string, { message }: Pick<Pushed, 'message'>): void =>
  noteChange(tx, { kind: 'device configurations', id: device, name: message.slice(0, 200) });
