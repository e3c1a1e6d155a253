import { TextArea, TextField, type TextFieldProps } from '../fields.tsx';

/** The fields of a draft that hold plain text. */
type TextKey<Draft> = { [Key in keyof Draft]: string extends Draft[Key] ? Key : never }[keyof Draft] & string;

type TextSpec<Draft> = Omit<TextFieldProps, 'value' | 'onChange'> & { key: TextKey<Draft> };

type TextFieldsProps<Draft> = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** In their order; the key is the name of the text in the draft. */
  fields: readonly TextSpec<Draft>[];
};

/** Several texts of a draft beside each other. */
export function TextFields<Draft extends object>({ draft, onChange, fields }: TextFieldsProps<Draft>) {
  return (
    <div className="columns narrow">
      {fields.map(({ key, ...field }) => (
        <TextField
          key={key}
          {...field}
          value={draft[key] as string}
          onChange={(text) => onChange({ [key]: text } as Partial<Draft>)}
        />
      ))}
    </div>
  );
}

/** Attributes of a field for a secret. Browsers fill the password of the console into one with `off`, but into none that is new. @param isStored whether an empty field keeps one */
export const secretField = (isStored: unknown) =>
  ({
    type: 'password',
    autoComplete: 'new-password',
    hint: isStored
      ? 'Stored, and not shown. Leave empty to keep it, unless the address changes.'
      : 'Stored encrypted, and never shown.',
  }) as const;

/** Certificates that are trusted besides those of the system. */
export const CertificatesField = ({
  value,
  onChange,
}: {
  value: string;
  onChange: (pem: string) => void;
}) => (
  <TextArea
    label="Trusted certificates"
    hint="PEM text. Default: those of the system"
    rows={3}
    isCode
    value={value}
    onChange={onChange}
  />
);
