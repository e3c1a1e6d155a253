import { useId } from 'react';
import { TextField, type TextFieldProps } from '../fields.tsx';
import { type Reads, Unread } from './unread.tsx';

type CompletedFieldProps = Omit<TextFieldProps, 'list' | 'note'> & {
  /** The texts that are offered; others may be typed as well. */
  completions: readonly string[] | undefined;
  /** What they are read from: the field says when that fails. */
  from: Reads;
};

/** A line of text, of which those that exist are offered. */
export function CompletedField({ completions = [], from, ...field }: CompletedFieldProps) {
  const list = useId();
  return (
    <>
      <TextField {...field} list={list} note={<Unread what={field.label} from={from} />} />
      <datalist id={list}>
        {completions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}
