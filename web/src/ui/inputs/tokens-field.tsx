import { useId, useState } from 'react';
import { TextField } from '../fields.tsx';
import { visibleText } from '../visible-text.ts';
import { commaParts, unquoted } from './lines.ts';
import { type Reads, Unread } from './unread.tsx';

export type TokensFieldProps = {
  label: string;
  hint?: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** Values that are offered, each with a note; others may be typed as well. */
  known: readonly { value: string; note: string }[];
  /** What the known values are read from: the field says when that fails. */
  from?: Reads;
  /** Called with the text of the value that is being typed. */
  onType: (text: string) => void;
};

/**
 * Several values, each a button that removes it, and a field for one more. What is typed counts at once; Enter or a comma makes
 * it a token, Backspace in an empty field removes the last one. A value that contains a comma is typed in double quotes.
 */
export function TokensField({ label, hint, value, onChange, known, onType, from }: TokensFieldProps) {
  const list = useId();
  const [typed, setTyped] = useState('');
  // The last value is the one that is being typed.
  const tokens = unquoted(typed) === '' ? value : value.slice(0, -1);
  const show = (text: string) => {
    setTyped(text);
    onType(unquoted(text));
  };
  const edit = (text: string) => {
    const isKnown = known.some((one) => one.value === text);
    const parts = isKnown ? [text] : commaParts(text);
    const last = parts.at(-1) ?? '';
    const words = isKnown ? parts : parts.map(unquoted);
    onChange([...tokens, ...words.filter((word) => word !== '')]);
    show(last.trim() === '' ? '' : last);
  };
  return (
    <div className="column">
      <TextField
        label={label}
        {...(hint && { hint })}
        value={typed}
        onChange={edit}
        list={list}
        note={<Unread what={label} from={from} />}
        autoComplete="off"
        onPaste={(event) => {
          // Lines and cells of a table are values of their own; the field would make one of them.
          const text = event.clipboardData.getData('text/plain');
          if (!/[\n\t]/.test(text.trim())) return;
          event.preventDefault();
          onChange(
            [...new Set([...value, ...text.split(/[\n\t]/).map((part) => part.trim())])].filter(Boolean),
          );
          show('');
        }}
        onKeyDown={(event) => {
          // Keys of an input method choose its characters.
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' && typed.trim() !== '') {
            // The form is not sent: Enter ends the value.
            event.preventDefault();
            show('');
          } else if (event.key === 'Backspace' && typed === '') onChange(tokens.slice(0, -1));
        }}
      />
      <datalist id={list}>
        {known
          .filter((one) => !tokens.includes(one.value))
          .map(({ value, note }) => (
            <option key={value} value={value} label={`${visibleText(value)} (${note})`} />
          ))}
      </datalist>
      {tokens.length > 0 && (
        <ul className="tokens" aria-label={`Chosen ${label.toLowerCase()}`}>
          {tokens.map((token, index) => (
            <li key={token}>
              <button
                type="button"
                className="token"
                aria-label={`Remove ${token}`}
                onClick={() => onChange(value.filter((_, at) => at !== index))}
              >
                {token} <span aria-hidden="true">✕</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
