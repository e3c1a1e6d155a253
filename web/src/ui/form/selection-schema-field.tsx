import type { FieldProps } from '@rjsf/utils';
import { useEffect } from 'react';
import type { Selection } from '../selection/selection-draft.ts';
import { SelectionField } from '../selection/selection-field.tsx';
import { useSelection } from '../selection/use-selection.ts';

/** A field of a form whose uiSchema says `"ui:field": "selection"`: devices by their properties, with their number. */
export function SelectionSchemaField({
  schema,
  name,
  formData,
  onChange,
  fieldPathId,
  rawErrors = [],
}: FieldProps) {
  const state = useSelection(formData as Selection | undefined);
  const { selection } = state;
  const text = JSON.stringify(selection);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed selection is reported to the form
  useEffect(() => {
    if (text !== JSON.stringify(formData)) onChange(selection, fieldPathId.path);
  }, [text]);
  return (
    <div className="field">
      <span className="field-label">{schema.title ?? name}</span>
      {schema.description && <span className="muted small">{schema.description}</span>}
      <SelectionField state={state} />
      {rawErrors.map((error) => (
        <span key={error} className="field-problem">
          {error}
        </span>
      ))}
    </div>
  );
}
