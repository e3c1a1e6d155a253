import { Field, type FieldProps } from '../fields.tsx';
import { isReading, type Reads, Unread } from './unread.tsx';

type Choice<Value extends string> = { value: Value; label: string };

type SelectFieldProps<Value extends string> = FieldProps & {
  /** What the choices are read from: the field says when that fails. */
  from?: Reads | undefined;
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
};

/** One of a few choices. */
export function SelectField<Value extends string>({
  value,
  choices,
  onChange,
  label,
  hint,
  problem,
  from,
}: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} problem={problem} note={<Unread what={label} from={from} />}>
      {(described) => (
        <select {...described} value={value} onChange={(event) => onChange(event.target.value as Value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
          {isReading(from) && <option disabled>Loading …</option>}
        </select>
      )}
    </Field>
  );
}
