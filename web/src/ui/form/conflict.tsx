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
    <DiffView
      label="The stored version and yours"
      before={stored}
      after={mine}
      sides={['stored now', 'yours']}
    />
    <div className="row">
      <Button onPress={onTakeStored}>Use the stored version</Button>
      <Button onPress={onKeepMine}>Keep mine, and overwrite the stored version</Button>
    </div>
  </section>
);
