import { useId } from 'react';
import { showProblem } from '../toast.tsx';

type FileFieldProps = {
  label: string;
  /** Kinds of files that the browser offers, such as `.json`. */
  accept: string;
  onText: (text: string) => void;
};

/** A text file of the reader's machine. */
export function FileField({ label, accept, onText }: FileFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          file?.text().then(onText, showProblem);
        }}
      />
    </div>
  );
}

/** Returns the JSON object in a text as what a procedure takes, which checks it itself; undefined when it is none. */
export function parsedJson<Input extends object>(text: string): Input | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Input)
      : undefined;
  } catch {
    return undefined;
  }
}
