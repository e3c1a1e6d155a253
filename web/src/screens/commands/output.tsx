import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import type { Row } from './runner.ts';
import { useScrolledTo } from './use-scrolled-to.ts';

/** What a device answered to a command, and how the rules of the template judged it. */
export function Output({ row, onClose }: { row: Row; onClose: () => void }) {
  const { device, command, output, rules = [], reason, isTruncated } = row;
  const section = useScrolledTo(row.key, 'nearest');
  return (
    <section className="card" aria-label="Output" ref={section}>
      <div className="row">
        <h2>{`${command} on ${device}`}</h2>
        <Button onPress={onClose}>Close</Button>
      </div>
      {reason && (
        <p className="note" data-tone="bad">
          {reason}
        </p>
      )}
      {isTruncated && (
        <p className="note" data-tone="warn">
          The output is longer than what is kept; its end is cut off.
        </p>
      )}
      {rules.length > 0 && (
        <ul className="column">
          {rules.map((rule) => (
            <li key={`${rule.eval} ${rule.rule}`}>
              <Badge tone={rule.result ? 'good' : 'bad'}>{rule.result ? 'passed' : 'failed'}</Badge>{' '}
              {rule.eval} <code>{rule.rule}</code> {rule.error ?? ''}
            </li>
          ))}
        </ul>
      )}
      <TextView label={`Output of ${command} on ${device}`} text={output} fileName={`${device}.txt`} />
    </section>
  );
}
