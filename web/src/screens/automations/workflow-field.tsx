import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useSettled } from '~/api/use-settled.ts';
import { CompletedField } from '~/ui/inputs/completed-field.tsx';

/** The name of a workflow, with those that exist as completions. */
export function WorkflowField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const sought = useSettled(value.trim());
  const mayList = useMay()('automationStudio.listWorkflows');
  const queryOptions = { ...(sought && { contains: { name: sought } }), include: 'name', limit: 20 };
  const workflows = useQuery(
    trpc.automationStudio.listWorkflows.queryOptions({ queryOptions }, { enabled: mayList }),
  );
  return (
    <CompletedField
      label="Workflow"
      hint="Type its name, or choose one from the list"
      value={value}
      onChange={onChange}
      completions={workflows.data?.items.flatMap(({ name }) => name ?? [])}
      from={workflows}
      isRequired
    />
  );
}
