import { Button } from '~/ui/button.tsx';
import { DiffView } from '~/ui/code/editor.tsx';

type ConflictProps = {
  /** What was edited: `this template`. */
  what: string;
  stored: string;
  mine: string;
  onTakeStored: () => void;
  onKeepMine: () => void;
};

/** Shown when a text was saved by somebody else since it was opened: both versions, of which the user keeps one. */
export const Conflict = ({ what, stored, mine, onTakeStored, onKeepMine }: ConflictProps) => (
  <section className="card" aria-label="Conflict" role="alert">
    <h3>Somebody else has saved {what} since you opened it</h3>
    <p className="muted">Nothing was overwritten.</p>
    <DiffView label="Stored and yours" before={stored} after={mine} sides={['stored now', 'yours']} />
    <div className="row">
      <Button onPress={onTakeStored}>Take the stored one</Button>
      <Button onPress={onKeepMine}>Keep mine, to save it over the stored one</Button>
    </div>
  </section>
);
