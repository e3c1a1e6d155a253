// The index of the package imports its test helpers, which need a validator that is not installed.
import Form from '@rjsf/core/lib/components/Form.js';
import type { ErrorSchema, IconButtonProps, RJSFSchema, UiSchema, ValidatorType } from '@rjsf/utils';
import { useMemo } from 'react';
import { SelectionSchemaField } from './selection-schema-field.tsx';
import './form.css';

type Data = Record<string, unknown>;

/** What is wrong at one place of the data. */
export type FieldIssue = { path: readonly (string | number)[]; message: string };

export type SchemaFormProps = {
  schema: Data;
  uiSchema?: Data | undefined;
  value: Data;
  onChange: (value: Data) => void;
  /** What the service said about the value when it was sent. */
  issues?: readonly FieldIssue[];
};

/** The service validates when the form is sent: nothing here compiles a schema, which the content policy forbids. */
const validator: ValidatorType<Data, RJSFSchema> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => true,
  rawValidation: () => ({}),
};

function errorsOf(issues: readonly FieldIssue[]): ErrorSchema<Data> {
  const root: ErrorSchema<Data> = {};
  for (const { path, message } of issues) {
    let place = root as Record<string, unknown>;
    for (const step of path) {
      if (step === '__proto__') break;
      place[step] ??= {};
      place = place[step] as Record<string, unknown>;
    }
    place.__errors = [...((place.__errors as string[] | undefined) ?? []), message];
  }
  return root;
}

type ButtonProps = IconButtonProps<Data, RJSFSchema>;

const TextButton = ({ label, id, disabled, onClick }: ButtonProps & { label: string }) => (
  <button type="button" className="button" id={id} disabled={disabled} onClick={onClick}>
    {label}
  </button>
);

const templates = {
  ButtonTemplates: {
    AddButton: (props: ButtonProps) => <TextButton {...props} label="Add" />,
    CopyButton: (props: ButtonProps) => <TextButton {...props} label="Copy" />,
    MoveUpButton: (props: ButtonProps) => <TextButton {...props} label="Move up" />,
    MoveDownButton: (props: ButtonProps) => <TextButton {...props} label="Move down" />,
    RemoveButton: (props: ButtonProps) => <TextButton {...props} label="Remove" />,
    ClearButton: (props: ButtonProps) => <TextButton {...props} label="Clear" />,
  },
};

const fields = { selection: SelectionSchemaField };

const NO_ISSUES: readonly FieldIssue[] = [];

/** The form itself. */
export function LoadedSchemaForm({ schema, uiSchema, value, onChange, issues = NO_ISSUES }: SchemaFormProps) {
  const { $schema: _, ...shown } = schema;
  const extraErrors = useMemo(() => errorsOf(issues), [issues]);
  return (
    <Form<Data, RJSFSchema>
      className="schema-form"
      tagName="div"
      schema={shown as RJSFSchema}
      uiSchema={{ ...(uiSchema as UiSchema<Data, RJSFSchema>), 'ui:submitButtonOptions': { norender: true } }}
      formData={value}
      onChange={({ formData }) => onChange(formData ?? {})}
      extraErrors={extraErrors}
      validator={validator}
      templates={templates}
      fields={fields}
      showErrorList={false}
      noHtml5Validate
    />
  );
}
