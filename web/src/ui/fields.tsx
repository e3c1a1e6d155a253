import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useId } from 'react';

export type FieldProps = {
  label: string;
  /** One sentence below the label. */
  hint?: ReactNode;
  /** What is wrong with the value. */
  problem?: string | undefined;
  /** What is said below it. */
  note?: ReactNode;
};

/** For names, addresses, commands and configurations: tablets and some browsers correct words, capitalize them and change quotes. */
export const AS_TYPED = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const;

type Described = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined };

/** A control with its label, and what is said of it. */
export function Field({
  label,
  hint,
  problem,
  note,
  children,
}: FieldProps & { children: (described: Described) => ReactNode }) {
  const id = useId();
  const descriptions = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <span id={`${id}-hint`} className="muted small">
          {hint}
        </span>
      )}
      {children({
        id,
        'aria-describedby': descriptions || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {problem && (
        <span id={`${id}-problem`} className="field-problem">
          {problem}
        </span>
      )}
      {note}
    </div>
  );
}

export type TextFieldProps = FieldProps & {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'password' | 'number' | 'url' | 'email' | 'date' | 'datetime-local' | 'time';
  placeholder?: string;
  autoComplete?: string;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  onPaste?: (event: ClipboardEvent<HTMLInputElement>) => void;
  /** Id of the `datalist` with completions. */
  list?: string;
  isRequired?: boolean;
  isReadOnly?: boolean;
  autoFocus?: boolean;
  min?: number;
  max?: number;
};

/** One line of text, a number, a date or a password. */
export function TextField({
  value,
  onChange,
  isRequired,
  isReadOnly,
  label,
  hint,
  problem,
  note,
  ...input
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem} note={note}>
      {(described) => (
        <input
          {...described}
          {...AS_TYPED}
          {...input}
          data-autofocus={input.autoFocus || undefined}
          required={isRequired}
          readOnly={isReadOnly}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type TextAreaProps = FieldProps & {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  isCode?: boolean;
  isRequired?: boolean;
  placeholder?: string;
};

/** Several lines of text; `isCode` for configurations, commands and JSON. */
export function TextArea({
  value,
  onChange,
  rows = 6,
  isCode,
  isRequired,
  label,
  hint,
  problem,
  placeholder,
}: TextAreaProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <textarea
          {...described}
          rows={rows}
          required={isRequired}
          placeholder={placeholder}
          {...(isCode && AS_TYPED)}
          data-code={isCode || undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A choice of yes or no. */
export function Checkbox({
  label,
  isChecked,
  onChange,
  isDisabled,
}: {
  label: ReactNode;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  isDisabled?: boolean;
}) {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
