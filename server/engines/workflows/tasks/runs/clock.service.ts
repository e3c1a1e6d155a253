import type { EffectRun } from '../outcome.ts';
import { succeeded } from './finish.ts';
import { timeAt } from './times.ts';

export const getTime: EffectRun = async (incoming, { now }) => succeeded({ time: timeAt(now(), incoming) });
