import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Dialog } from '../overlays/dialog.tsx';

type SecretOnceProps = { title: string; entries: readonly [string, string][]; onClose: () => void };

/** Shows a secret right after it was made; the service keeps only its digest. */
export function SecretOnce({ title, entries, onClose }: SecretOnceProps) {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <p className="note" data-tone="warn">
        Copy it now: it is shown only once and can never be read again.
      </p>
      {entries.map(([name, value]) => (
        <div key={name} className="field">
          <span className="field-label">{name}</span>
          <div className="row">
            <code className="secret">{value}</code>
            <CopyButton text={value} what={`the ${name.toLowerCase()}`}>
              {`Copy ${name.toLowerCase()}`}
            </CopyButton>
          </div>
        </div>
      ))}
      <div className="dialog-actions">
        <Button variant="primary" onPress={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
