import type { Problem } from '~/api/problem.ts';
import { visibleText } from '../visible-text.ts';

/** A likely mistake or an error in a template, at its line and column. */
export type TemplateNote = { line: number; column: number; message: string; isError?: boolean };

/** Returns an issue with a place in the template as a note. */
export const noteOf = ({ message, line, column }: Problem['issues'][number]): TemplateNote[] =>
  line === undefined ? [] : [{ line, column: column ?? 1, message, isError: true }];

type NotesProps = {
  notes: readonly TemplateNote[];
  /** Shows a line in the editor. */
  onGo: (line: number) => void;
};

/** The notes on a template, each with a button that leads to its line. */
export function Notes({ notes, onGo }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <ul className="plain" aria-label="Notes on the template">
      {notes.map(({ line, column, message, isError }) => (
        <li key={`${line} ${column} ${message}`} className="note" data-tone={isError ? 'bad' : 'warn'}>
          <button type="button" className="note-place" onClick={() => onGo(line)}>
            line {line}, column {column}
          </button>{' '}
          {visibleText(message)}
        </li>
      ))}
    </ul>
  );
}
