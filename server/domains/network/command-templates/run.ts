import type { Answer, PlannedCommand } from './plan.ts';
import type { CommandEntry } from './results.ts';
import type { DeviceAnswers } from './rules/calculate.ts';

/**
 * Sends commands to a device, one after the other, and tells what it did with each, in their order. What keeps it from
 * an answer is an answer with `error`; it throws only what is no outcome of a device.
 */
export type SendToDevice = (device: string, commands: readonly string[]) => Promise<readonly Answer[]>;

/** Holds the answers of a device against the rules of its commands. */
export type HoldAnswers = (asked: DeviceAnswers) => Promise<CommandEntry[]>;

/** Devices that are spoken with at once in one run. */
const AT_ONCE = 16;

/**
 * Send commands to devices and hold the answers against their rules: an entry for each command on each device, device by
 * device. A device that does not answer keeps no other back.
 */
export async function runOnDevices(
  commands: readonly PlannedCommand[],
  devices: readonly string[],
  send: SendToDevice,
  hold: HoldAnswers,
): Promise<CommandEntry[]> {
  const sendable = commands.filter(({ fault }) => fault === undefined);
  const texts = sendable.map(({ evaluated }) => evaluated);
  const told: CommandEntry[][] = [];
  const waiting = devices.entries();
  const work = async () => {
    for (const [place, device] of waiting) {
      const answers = texts.length === 0 ? [] : await send(device, texts);
      const byCommand = new Map(sendable.map((command, at) => [command, answers[at]]));
      told[place] = await hold({
        device,
        answers: commands.map((command) => ({ command, answer: byCommand.get(command) ?? unsent(command) })),
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, devices.length) }, work));
  return told.flat();
}

const unsent = ({ fault }: PlannedCommand): Answer => ({
  output: '',
  taken: false,
  error: fault ?? 'The device gave no answer to this command',
});
