import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { jobPath } from '~/app/paths.ts';
import { TextField } from '~/ui/fields.tsx';
import { JsonField } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { type FieldIssue, hasFields, issuesOf, SchemaForm } from '~/ui/form/schema-form.tsx';
import { CompletedField } from '~/ui/inputs/completed-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

/** A dialog that starts a workflow by its name, with a form made from its input schema. */
export function StartJob({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const may = useMay();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [data, setData] = useState<Record<string, unknown>>({});
  const [text, setText] = useState('{}');
  const [issues, setIssues] = useState<FieldIssue[]>([]);
  const sought = useDeferredValue(name.trim());
  const mayRead = may('automationStudio.listWorkflows') && isOpen;
  const choices = useQuery({
    ...trpc.automationStudio.listWorkflows.queryOptions({
      queryOptions: { ...(sought && { contains: { name: sought } }), include: 'name', limit: 20 },
    }),
    enabled: mayRead,
  });
  const isKnown = choices.data?.items.some((workflow) => workflow.name === sought) ?? false;
  const workflow = useQuery({
    ...trpc.automationStudio.getWorkflow.queryOptions({ name: sought }),
    enabled: mayRead && isKnown,
  });
  const schema = workflow.data?.inputSchema;
  const isForm = hasFields(schema);
  const parsed = parseObject(text);
  const start = async () => {
    const variables = isForm ? data : parsed.value;
    if (isForm && schema) {
      const found = await issuesOf(schema, variables);
      setIssues(found);
      if (found.length > 0) throw new Error('The input is not complete: see the marked fields.');
    }
    const { data: job } = await api.operationsManager.startJob.mutate({
      workflow: name.trim(),
      options: { variables, ...(description && { description }) },
    });
    void navigate(jobPath(job._id));
  };
  return (
    <FormDialog
      title="Start job"
      action="Start"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={start}
      isReady={name.trim() !== '' && (isForm || parsed.problem === undefined)}
    >
      <CompletedField
        label="Workflow"
        completions={choices.data?.items.flatMap((choice) => choice.name ?? [])}
        from={[choices, workflow]}
        isRequired
        autoFocus
        value={name}
        onChange={(next) => {
          setName(next);
          setIssues([]);
        }}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      {isForm && schema ? (
        <SchemaForm key={sought} schema={schema} value={data} onChange={setData} issues={issues} />
      ) : (
        <JsonField label="Input values" hint="A JSON object" text={text} onChange={setText} />
      )}
    </FormDialog>
  );
}
