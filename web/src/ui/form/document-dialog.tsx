import { type ReactNode, useState } from 'react';
import { TextArea } from '../fields.tsx';
import { FileField } from '../file-field.tsx';
import { FormDialog } from '../overlays/dialog.tsx';
import { parseObject } from './parse-object.ts';

type DocumentDialogProps = {
  title: string;
  /** The label of the button that sends it, a verb. */
  action: string;
  /** The document at first; absent: one that a file brings, or that is pasted. */
  document?: Record<string, unknown>;
  /** Sends the document, which the service checks. */
  onSubmit: (document: Record<string, unknown>) => Promise<unknown>;
  onClose: () => void;
  /** What it is about, above the text. */
  children?: ReactNode;
};

/** A document as JSON: changed as a text, or imported from a file. */
export function DocumentDialog({ document, onSubmit, children, ...dialog }: DocumentDialogProps) {
  const [text, setText] = useState(() => (document ? JSON.stringify(document, null, 2) : ''));
  const { value, problem } = parseObject(text);
  return (
    <FormDialog
      {...dialog}
      isOpen
      size="wide"
      isReady={text.trim() !== '' && value !== undefined}
      onSubmit={async () => onSubmit(value ?? {})}
    >
      {children}
      {!document && <FileField label="File" accept="application/json,.json" onText={setText} />}
      <TextArea
        label={document ? 'Document as JSON' : 'Or its text'}
        rows={18}
        isCode
        value={text}
        onChange={setText}
        problem={text.trim() === '' ? undefined : problem}
      />
    </FormDialog>
  );
}
