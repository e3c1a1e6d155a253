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
