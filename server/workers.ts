import type { Config } from './config.ts';
import type { Worker } from './durable/port.ts';

/** Every kind of durable work, and how much of each this process does at once; with WORKERS=0 it only serves. */
export const workersOf = (_config: Pick<Config, 'workers'>): Worker[] => [];
