import { commandIssues, type Overrides, runOnHost } from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';
import { MOST_LINES, unsendableLineIssues } from './config-text.ts';
import { withDeviceLock } from './keyed-semaphore.service.ts';
import { callOptionsOf, originOf, unsupportedBy } from './origin.service.ts';

/** Configuration lines for a host, and the commands that leave the configuration mode and save the configuration. */
export type HostLines = {
  lines: readonly string[];
  /** Leaves the configuration mode; absent: the command of the driver. */
  endCommand?: string | undefined;
  /** Sent after the configuration mode was left; absent: nothing. */
  saveCommand?: string | undefined;
  /** Connection settings that differ from those of the inventory. */
  overrides?: Overrides | undefined;
};

/**
 * Sends lines in the configuration mode of a host, without a backup before. At the first line that the host rejects, the
 * mode is left, and changes that are not active yet are discarded. Only one change at a time runs on a host.
 *
 * @returns the result of each command that was sent, those that enter and leave the mode among them
 * @throws ServiceError NOT_FOUND, BAD_REQUEST, UNPROCESSABLE_CONTENT, CONFLICT, FORBIDDEN before anything is sent;
 *   BAD_GATEWAY and GATEWAY_TIMEOUT
 */
export async function configureHost(
  call: DeviceContext,
  name: string,
  { lines, endCommand, saveCommand, overrides }: HostLines,
): Promise<CommandResult[]> {
  const origin = await originOf(call, name);
  if (origin.via !== 'cli' || !origin.config?.enter) throw unsupportedBy(origin, 'change the configuration');
  const { enter, apply = [], leave = [], abandon = leave } = origin.config;
  const at = ['lines'];
  if (lines.length === 0 || lines.length > MOST_LINES)
    assertNone([issue(at, `must have 1 to ${MOST_LINES} lines`)]);
  assertNone([...commandIssues(lines, at, true), ...unsendableLineIssues(lines, origin.ostype, at)]);
  const after = [...apply, ...(endCommand ? [endCommand] : leave), ...(saveCommand ? [saveCommand] : [])];
  const commands = [...enter, ...lines, ...after];
  const { result } = await withDeviceLock(call, name, () =>
    runOnHost(call, name, commands, {
      ...overrides,
      ...callOptionsOf(call),
      otherwise: abandon,
      most: commands.length,
      noted: [...enter, `(${lines.length} lines of configuration)`, ...after],
    }),
  );
  return result;
}
