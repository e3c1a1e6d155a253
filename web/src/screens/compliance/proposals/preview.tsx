import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { Button } from '~/ui/button.tsx';
import { QueryView } from '~/ui/states.tsx';
import { countsText, scoreText, Verdict } from '../grade.tsx';

type Preview = Outputs['configurationManager']['previewRemediation'];

/** Number of lines of the comparison that are rendered at first. */
const DRAWN = 1000;
const SIGNS = { [-1]: 'removed', 0: 'same', 1: 'added' } as const;

/** The effect of a proposal on its device, read from the device itself where it answers. */
export function PreviewCard({ id }: { id: string }) {
  const query = useQuery(
    trpc.configurationManager.previewRemediation.queryOptions({ id }, { staleTime: 60_000 }),
  );
  return (
    <section className="card" aria-labelledby="preview">
      <div className="page-head">
        <h2 id="preview">Preview against the device</h2>
        <Button isPending={query.isFetching} onPress={() => void query.refetch()}>
          {query.isFetching ? 'Reading …' : 'Read the device again'}
        </Button>
      </div>
      <QueryView query={query} loading="Reading the configuration of the device">
        {(preview) => <Shown preview={preview} />}
      </QueryView>
    </section>
  );
}

function Shown({ preview: { diff, predicted, stale, comparedWith } }: { preview: Preview }) {
  const [limit, setLimit] = useState(DRAWN);
  return (
    <>
      {stale ? (
        <p className="note" data-tone="warn">
          The configuration of the device has changed since this proposal was made: check the device again and
          make a new proposal.
        </p>
      ) : (
        <p className="note" data-tone="good">
          {comparedWith === 'device'
            ? 'The device still has the configuration that this proposal was made for.'
            : 'The newest backup is the configuration that this proposal was made for; the device itself was not read.'}
        </p>
      )}
      <p>
        Predicted: <Verdict of={predicted.grade} /> {scoreText(predicted.score)} points,{' '}
        {countsText(predicted.totals)}.
      </p>
      {diff.length === 0 ? (
        <p className="muted">The selected changes leave the configuration as it is.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="code-frame" tabIndex={0} aria-label="Changed lines">
          <div className="diff">
            {diff.slice(0, limit).map(([sign, line], index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other identity
              <div key={index} data-sign={SIGNS[sign]}>
                <span aria-hidden="true">{sign === 1 ? '+' : sign === -1 ? '−' : ' '}</span>{' '}
                {sign !== 0 && <span className="visually-hidden">{SIGNS[sign]}: </span>}
                {line}
              </div>
            ))}
          </div>
        </section>
      )}
      {diff.length > limit && (
        <div>
          <Button onPress={() => setLimit(diff.length)}>Show all {diff.length} lines</Button>
        </div>
      )}
    </>
  );
}
