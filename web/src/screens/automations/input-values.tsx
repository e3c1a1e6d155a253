import { useState } from 'react';
import { JsonField } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { type FieldIssue, hasFields, issuesOf, SchemaForm } from '~/ui/form/schema-form.tsx';

type Data = Record<string, unknown>;

type InputForm = {
  /** JSON schema of the input; without fields, the input is edited as JSON. */
  schema?: Data | null | undefined;
  uiSchema?: Data | undefined;
};

/**
 * Input of an automation while it is typed, in `InputFields`.
 *
 * @param stored the values before anything is typed
 * @returns the values (undefined while they are no JSON object), what the fields need, and a function that checks the values
 */
export function useInputValues({ schema, uiSchema }: InputForm, stored: Data) {
  const [data, setData] = useState<Data>(stored);
  const [text, setText] = useState(() => JSON.stringify(stored, null, 2));
  const [issues, setIssues] = useState<readonly FieldIssue[]>([]);
  const shown = hasFields(schema) && schema ? { schema, uiSchema, value: data, issues } : undefined;
  return {
    values: shown ? data : parseObject(text).value,
    form: shown && { ...shown, onChange: setData },
    json: { text, onChange: setText },
    /** Lets the service check the values against the schema. @throws Error when a field is at fault: it is marked */
    check: async () => {
      if (!shown) return;
      const found = await issuesOf(shown.schema, data);
      setIssues(found);
      if (found.length > 0) throw new Error('The form is not complete: see the marked fields.');
    },
  };
}

type InputFieldsProps = {
  state: ReturnType<typeof useInputValues>;
  /** Label and hint of the text, where the schema has no fields. */
  label: string;
  hint?: string;
};

/** Input of an automation: in the form of its schema, or as JSON. */
export const InputFields = ({ state, label, hint = 'A JSON object' }: InputFieldsProps) =>
  state.form ? <SchemaForm {...state.form} /> : <JsonField label={label} hint={hint} {...state.json} />;
