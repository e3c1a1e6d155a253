import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useSettled } from '~/api/use-settled.ts';
import { TextField } from '~/ui/fields.tsx';

/** The name of a workflow, with those that exist as completions. */
export function WorkflowField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const list = useId();
  const sought = useSettled(value.trim());
  const mayList = useMay()('automationStudio.listWorkflows');
  const queryOptions = { ...(sought && { contains: { name: sought } }), include: 'name', limit: 20 };
  const workflows = useQuery(
    trpc.automationStudio.listWorkflows.queryOptions({ queryOptions }, { enabled: mayList }),
  );
  return (
    <>
      <TextField
        label="Workflow"
        hint="Its name, of which those that exist are offered"
        value={value}
        onChange={onChange}
        list={list}
        from={workflows}
        isRequired
      />
      <datalist id={list}>
        {workflows.data?.items.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
