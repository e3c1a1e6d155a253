import type { ReactNode } from 'react';
import { percentDone } from './quantities.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral';

/** A short state in a colour; the text alone says it too. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

type ProgressProps = {
  label: string;
  done: number;
  total: number;
  /** Shows a percentage in place of the two numbers. */
  isPercent?: boolean;
};

/** How much of a long piece of work is done. */
export function Progress({ label, done, total, isPercent }: ProgressProps) {
  const percent = percentDone(done, total);
  return (
    <div className="progress-row">
      <div
        className="progress"
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${percent}%` }} />
      </div>
      <span className="small muted">
        {isPercent ? `${percent} %` : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`}
      </span>
    </div>
  );
}
