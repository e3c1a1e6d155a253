import { Button } from '~/ui/button.tsx';
import { CopyButton } from '~/ui/copy-button.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { saveFile } from '~/ui/table/csv.ts';

/** Shows recovery codes once: each signs in once in place of a code or key. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <Dialog title="Recovery codes" isOpen onClose={onClose}>
      <p className="note" data-tone="warn">
        Keep them where you can find them without your second factor. They are shown only once, and each works
        once.
      </p>
      <ul className="plain" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <CopyButton text={text} what="the recovery codes">
          Copy all
        </CopyButton>
        <Button onPress={() => saveFile('recovery-codes.txt', `${text}\n`, 'text/plain')}>
          Save as a file
        </Button>
        <Button variant="primary" onPress={onClose}>
          I have saved them
        </Button>
      </div>
    </Dialog>
  );
}
