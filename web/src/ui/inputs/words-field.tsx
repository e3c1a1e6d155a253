import { useId } from 'react';
import { TextField, type TextFieldProps } from '../fields.tsx';
import { completionsOf } from './lines.ts';

type WordsFieldProps = TextFieldProps & {
  /** Names that exist; others may be typed as well. */
  known: readonly string[];
};

/** Words separated by commas; the browser completes the last one with names that exist. */
export function WordsField({ known, ...field }: WordsFieldProps) {
  const list = useId();
  return (
    <>
      <TextField {...field} list={list} autoComplete="off" />
      <datalist id={list}>
        {completionsOf(field.value, known).map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}
