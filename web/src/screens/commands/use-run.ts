import { useEffect, useRef, useState } from 'react';
import { inParallel } from '~/api/in-parallel.ts';
import { type Plan, type Row, rowsBefore, runnerOf } from './runner.ts';

/** Devices that are asked at once. */
const AT_ONCE = 8;

type State = { phase: 'ready' | 'running' | 'done'; rows: ReadonlyMap<string, readonly Row[]> };

/** A run of commands on devices: its rows by device, filled as devices answer. */
export function useRun() {
  const [{ phase, rows }, setState] = useState<State>({ phase: 'ready', rows: new Map() });
  const controller = useRef<AbortController>(undefined);
  // Who leaves the page ends the run: no answer is lost that somebody waits for.
  useEffect(() => () => controller.current?.abort(), []);
  const put = (device: string, next: readonly Row[]) =>
    setState((before) => ({ ...before, rows: new Map(before.rows).set(device, next) }));
  const start = async (plan: Plan, devices: readonly string[], isGateway: boolean) => {
    controller.current?.abort();
    const current = new AbortController();
    controller.current = current;
    const { signal } = current;
    const waiting = devices.map((name) => [name, rowsBefore(plan, name, { status: 'waiting' })] as const);
    setState({ phase: 'running', rows: new Map(waiting) });
    const run = runnerOf(plan, isGateway);
    await inParallel(
      devices,
      AT_ONCE,
      async (name) => {
        put(name, rowsBefore(plan, name, { status: 'running' }));
        put(name, await run(name, signal));
      },
      signal,
    );
    setState((before) => ({
      phase: 'done',
      rows: new Map(
        [...before.rows].map(([name, list]) => [
          name,
          list.map((row) =>
            row.status === 'waiting' ? { ...row, status: 'skipped', reason: 'stopped' } : row,
          ),
        ]),
      ),
    }));
  };
  return { phase, rows: [...rows.values()].flat(), start, stop: () => controller.current?.abort() };
}
