import type { Answer, PlannedCommand } from './plan.ts';
import type { CommandEntry } from './results.ts';
import type { DeviceAnswers } from './rules/calculate.ts';

/**
 * Sends commands to a device sequentially and returns the responses in order. A failure to get a response is returned
 * in `error`; only errors unrelated to the device are thrown.
 */
export type SendToDevice = (device: string, commands: readonly string[]) => Promise<readonly Answer[]>;

/** Applies the rules of commands to a device's responses. */
export type ApplyRules = (answers: DeviceAnswers) => Promise<CommandEntry[]>;

/** Number of devices processed concurrently in one run. */
const AT_ONCE = 16;

/**
 * Sends commands to devices and applies their rules to the responses. Returns an entry for each command on each device,
 * ordered by device. A device without a response does not delay the others.
 *
 * @throws what `send` throws: no further device is begun then, and none is still in use
 */
export async function runOnDevices(
  commands: readonly PlannedCommand[],
  devices: readonly string[],
  send: SendToDevice,
  applyRules: ApplyRules,
): Promise<CommandEntry[]> {
  const sendable = commands.filter(({ fault }) => fault === undefined);
  const texts = sendable.map(({ evaluated }) => evaluated);
  const entries: CommandEntry[][] = [];
  const waiting = devices.entries();
  let failed = false;
  const work = async () => {
    for (const [place, device] of waiting) {
      if (failed) return;
      const answers = texts.length === 0 ? [] : await send(device, texts);
      const byCommand = new Map(sendable.map((command, at) => [command, answers[at]]));
      entries[place] = await applyRules({
        device,
        answers: commands.map((command) => ({ command, answer: byCommand.get(command) ?? unsent(command) })),
      });
    }
  };
  const fail = (error: unknown) => {
    failed = true;
    throw error;
  };
  const lanes = Array.from({ length: Math.min(AT_ONCE, devices.length) }, () => work().catch(fail));
  // A caller that repeats the run must not meet what is left of this one.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  return entries.flat();
}

const unsent = ({ fault }: PlannedCommand): Answer => ({
  output: '',
  taken: false,
  error: fault ?? 'The device sent no response to this command',
});
