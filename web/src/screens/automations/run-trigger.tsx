import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { jobPath } from '~/app/paths.ts';
import { JsonField, parseObject } from '~/ui/form/json-field.tsx';
import { type FieldIssue, hasFields, issuesOf, SchemaForm } from '~/ui/form/schema-form.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import type { Trigger } from './trigger-state.tsx';

type Data = Record<string, unknown>;

/** Starts the automation of a trigger: with its form, with the body of a call, or as its schedule would. */
export function RunTrigger({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const navigate = useNavigate();
  const { type } = trigger;
  const formId = type === 'manual' ? (trigger.formId ?? '') : '';
  const form = useQuery({
    ...trpc.jsonForms.getForm.queryOptions({ id: formId }),
    enabled: formId !== '',
  });
  const stored = type === 'manual' ? (trigger.formData ?? {}) : {};
  const [data, setData] = useState<Data>(stored);
  const [text, setText] = useState(() => JSON.stringify(stored, null, 2));
  const [issues, setIssues] = useState<readonly FieldIssue[]>([]);
  const schema = type === 'endpoint' ? (trigger.schema ?? undefined) : form.data?.schema;
  const isForm = hasFields(schema);
  const parsed = parseObject(text);
  const run = async () => {
    const values = isForm ? data : (parsed.value ?? {});
    if (isForm && schema) {
      const found = await issuesOf(schema, values);
      setIssues(found);
      if (found.length > 0) throw new Error('The form is not complete: see the marked fields.');
    }
    const id = trigger._id;
    const { data: job } =
      trigger.type === 'endpoint'
        ? await api.operationsManager.runEndpointTrigger.mutate({
            routeName: trigger.routeName,
            endpointBody: values,
          })
        : trigger.type === 'schedule'
          ? await api.operationsManager.runScheduleTrigger.mutate({ id })
          : await api.operationsManager.runManualTrigger.mutate({ id, formData: values });
    void navigate({ to: jobPath(job._id) });
  };
  return (
    <FormDialog
      title={`Run ${visibleText(trigger.name)}`}
      action={type === 'endpoint' ? 'Call' : 'Run'}
      isOpen
      onClose={onClose}
      onSubmit={run}
      isReady={(isForm || parsed.problem === undefined) && (formId === '' || !form.isPending)}
    >
      {type === 'schedule' && <p>The job starts now; the next scheduled run stays as it is.</p>}
      {type !== 'schedule' &&
        (isForm && schema ? (
          <SchemaForm
            schema={schema}
            uiSchema={form.data?.uiSchema}
            value={data}
            onChange={setData}
            issues={issues}
          />
        ) : (
          <JsonField
            label={type === 'endpoint' ? 'Body' : 'Input values'}
            hint="A JSON object"
            text={text}
            onChange={setText}
          />
        ))}
    </FormDialog>
  );
}
