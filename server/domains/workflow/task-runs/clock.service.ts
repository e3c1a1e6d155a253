import type { EffectRun } from '../tasks/outcome.ts';
import { succeeded } from './finish.ts';
import { timeAt } from './values/times.ts';

export const getTime: EffectRun = async (incoming, { now }) => succeeded({ time: timeAt(now(), incoming) });
