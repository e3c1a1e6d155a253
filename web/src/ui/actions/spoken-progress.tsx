import { useRef } from 'react';

type SpokenProgressProps = { done: number; total: number; failed: number; isRunning: boolean };

/** How often screen readers say how far something is: once at its beginning, at its end, and this often between. */
const QUARTERS = 4;

/** Says how far a run is, in few words and at each quarter: every single step would drown everything else. */
export function SpokenProgress({ done, total, failed, isRunning }: SpokenProgressProps) {
  const said = useRef({ step: -1, text: '' });
  const step = isRunning ? Math.floor((QUARTERS * done) / Math.max(1, total)) : QUARTERS + 1;
  if (step !== said.current.step) {
    const text = `${isRunning ? 'Running' : 'Ended'}: ${done} of ${total} done, ${failed} failed`;
    said.current = { step, text };
  }
  return (
    <p className="visually-hidden" role="status">
      {said.current.text}
    </p>
  );
}
