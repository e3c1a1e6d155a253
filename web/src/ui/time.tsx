import { useEffect, useState, useSyncExternalStore } from 'react';
import { now } from '~/api/live/clock.ts';
import { durationText } from './quantities.ts';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

function relative(time: number): string {
  const difference = time - now();
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(difference) >= size) ?? ['second', 1000];
  return RELATIVE.format(Math.round(difference / ms), unit);
}

const EXACT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'long',
});

/** Returns a moment in the time zone of the browser, to the second. */
export const exactTime = (value: string | number): string => EXACT.format(new Date(value));

const TICK_MS = 15_000;

/** One clock for all moments that are shown: a list has hundreds of them. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let ticks = 0;

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks++;
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A moment relative to now, kept current; its title has the exact time, which details of an object show beside it. @param value ISO 8601 or milliseconds */
export function Time({ value }: { value: string | number | Date | null | undefined }) {
  useSyncExternalStore(onTick, () => ticks);
  if (value === null || value === undefined || value === '') return <span className="muted">–</span>;
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return <span>{String(value)}</span>;
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()} data-exact={EXACT.format(date)}>
      {relative(date.getTime())}
    </time>
  );
}

/** How long something took, or has taken so far; counts on while it has no end. @param start milliseconds since 1970 */
export function Duration({ start, end }: { start: number; end: number | undefined }) {
  const [shown, setShown] = useState(now);
  useEffect(() => {
    if (end !== undefined) return;
    const ticking = setInterval(() => setShown(now()), 1000);
    return () => clearInterval(ticking);
  }, [end]);
  return <>{durationText((end ?? Math.max(shown, start)) - start)}</>;
}
