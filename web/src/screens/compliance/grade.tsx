import { Badge, type Tone } from '~/ui/badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  pass: 'good',
  review: 'warn',
  fail: 'bad',
  error: 'bad',
  warning: 'warn',
  info: 'info',
};

/** Returns the colour of a grade or severity. */
export const toneOf = (word: string): Tone => TONES[word] ?? 'neutral';

/** A grade or a severity in its colour. */
export const Verdict = ({ of }: { of: string }) => <Badge tone={toneOf(of)}>{of}</Badge>;

/** A score in points. */
export const scoreText = (score: number) => score.toLocaleString('en', { maximumFractionDigits: 2 });

type Totals = { errors: number; warnings: number; infos: number; passes: number };

/** Counts of findings in words: `2 errors, 1 warning`. */
export function countsText({ errors, warnings, infos, passes }: Totals): string {
  const parts = [
    [errors, 'error'],
    [warnings, 'warning'],
    [infos, 'info'],
  ] as const;
  const found = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`);
  return found.length > 0 ? found.join(', ') : `all ${passes.toLocaleString('en')} pass`;
}
