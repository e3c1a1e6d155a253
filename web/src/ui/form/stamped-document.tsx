import { type ReactNode, useEffect, useState } from 'react';
import { problemOf } from '~/api/problem.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { Loading, ProblemNote } from '../states.tsx';
import { DocumentDialog } from './document-dialog.tsx';
import { type Conditional, saveOver } from './save-over.ts';

type Document = Record<string, unknown>;

/** Options of a call that hands over the stamp of what it reads. */
type Stamped = { context: { onStamp: (stamp: string | undefined) => void } };

type StampedDocumentProps = {
  title: string;
  /** The label of the button that sends it, a verb. */
  action: string;
  /** Reads the document and its stamp, which is in a header of the answer alone. */
  read: (options: Stamped) => Promise<Document>;
  save: (document: Document, options: Conditional) => Promise<unknown>;
  onClose: () => void;
  /** What it is about, above the text. */
  children?: ReactNode;
};

/** Changes a stored document as JSON, as it is now and not as a list has shown it, unless somebody else changes it meanwhile. */
export function StampedDocument({ title, action, read, save, onClose, children }: StampedDocumentProps) {
  const [stamp, setStamp] = useState<string>();
  const [document, setDocument] = useState<Document>();
  const [error, setError] = useState<unknown>();
  const options = { context: { onStamp: setStamp } };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read once, when the dialog opens
  useEffect(() => {
    read(options).then(setDocument, setError);
  }, []);
  if (document === undefined)
    return (
      <Dialog title={title} isOpen size="wide" onClose={onClose}>
        {error === undefined ? (
          <Loading what="Loading the document" />
        ) : (
          <ProblemNote problem={problemOf(error)} />
        )}
        <div className="dialog-actions">
          <Button onPress={onClose}>Back</Button>
        </div>
      </Dialog>
    );
  return (
    <DocumentDialog
      title={title}
      action={action}
      document={document}
      onClose={onClose}
      onSubmit={(next) =>
        saveOver(
          stamp,
          (condition) => save(next, condition),
          () => read(options),
        )
      }
    >
      {children}
    </DocumentDialog>
  );
}
