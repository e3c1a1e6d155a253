/** Returns a number with its noun: `1 device`, `2,000 devices`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** Returns a share in whole percents. What is neither none nor all is not shown as that: `< 1 %`, `> 99 %`. */
export function shareText(part: number, all: number): string {
  const percent = all === 0 ? 0 : (part / all) * 100;
  if (percent > 0 && percent < 1) return '< 1 %';
  if (percent > 99 && percent < 100) return '> 99 %';
  return `${Math.round(percent)} %`;
}

/** Returns how much is done in whole percents, rounded down: 100 is what has ended. @param total 0: nothing is done */
export function percentDone(done: number, total: number): number {
  // A share such as 0.29 is a little less than 29 hundredths, in the arithmetic of a processor.
  return total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100 + 1e-9));
}

/** Returns a duration in words, of two units at most: `1 min 5 s`, `3 d 1 h`. @param ms milliseconds */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
