import { isAbsent, isObject, ownField } from '#server/kernel/json/objects.ts';
import { type TaskInput, TaskInputError } from '../task-input.ts';

/** The outcome of a command on a host, as workflows read it. */
export type HostResponse = {
  host: string;
  command: string;
  status: 'SUCCESS' | 'FAILURE';
  stdout: string;
  results: { stdout: string; stdout_lines: string[] };
};

/** The outcome of a command, or of a configuration, on a host of a `GatewayManager` task. */
export type NodeResult = { name: string; command: string; success: boolean; output: string };

/** Maximum number of hosts, and of commands on each of them, in one task. */
export const MOST = { hosts: 1000, commands: 10_000 };

/** Returns the names in a list, or in a text with commas between them; nothing when it is absent. @throws TaskInputError */
export function namesIn(incoming: TaskInput, name: string): string[] {
  const value = ownField(incoming, name);
  if (isAbsent(value)) return [];
  const given: unknown[] = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : [value];
  return [...new Set(given.flat())].map((one, at) => {
    if (typeof one !== 'string' || one === '') throw new TaskInputError(`${name}.${at}`, 'must be a name');
    return one;
  });
}

/**
 * Returns the hosts of an inventory selection: `[{ inventory, nodeNames }]`, names, or a text with commas between them. The
 * inventory has no effect: this platform has one. @throws TaskInputError
 */
export function nodesIn(incoming: TaskInput, name: string): string[] {
  const value = ownField(incoming, name);
  if (!Array.isArray(value) && !isObject(value)) return namesIn(incoming, name);
  const names = [value].flat().flatMap((one: unknown, at) => {
    if (!isObject(one)) return [one];
    if (!Object.hasOwn(one, 'nodeNames')) throw new TaskInputError(`${name}.${at}.nodeNames`, 'is missing');
    return one.nodeNames;
  });
  return namesIn({ [name]: names }, name);
}

/** Returns the lines of a list, or of a text with line ends, without empty ones. @throws TaskInputError */
export function linesIn(incoming: TaskInput, name: string): string[] {
  const value = ownField(incoming, name);
  if (value === undefined || value === null) return [];
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const lines = given.flatMap((one, at) => {
    if (typeof one !== 'string') throw new TaskInputError(`${name}.${at}`, 'must be text');
    return one.split(/\r?\n/);
  });
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}

/** Returns the response of a command on a host. */
export const responseOf = (
  host: string,
  command: string,
  status: HostResponse['status'],
  stdout: string,
): HostResponse => ({
  host,
  command,
  status,
  stdout,
  results: { stdout, stdout_lines: stdout === '' ? [] : stdout.split('\n') },
});

/** Returns the responses of all hosts in the envelope that workflows read: `completed[0].response`. */
export const completedWith = (response: readonly HostResponse[]) => ({
  completed: [{ icode: 'AD.200', response }],
  failed: [],
});

/** Returns the envelope for hosts that the inventory does not have: nothing was sent to any. */
export const unavailable = (hosts: readonly string[]) => ({
  completed: [],
  failed: [{ icode: 'AD.404', message: `Not all devices available: ${hosts.join(', ')}` }],
});

/** Returns what a host showed for the lines of a configuration, each line with its output below it. */
export const shownLines = (results: readonly { command: string; output: string }[]): string =>
  results.map((one) => [one.command, one.output].filter(Boolean).join('\n')).join('\n');

/** Returns the envelope of a `GatewayManager` task, in which workflows read `status` and `result.results`. */
export const gatewayResult = (status: 'completed' | 'failed', results: readonly NodeResult[]) => ({
  status,
  result: { results },
});
