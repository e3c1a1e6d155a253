import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextField } from '~/ui/fields.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { WorkflowField } from './workflow-field.tsx';

type Automation = Outputs['operationsManager']['getAutomation']['data'];

/** Changes the name and the description of an automation, and the workflow that it starts. */
export function ChangeAutomation({ automation, onClose }: { automation: Automation; onClose: () => void }) {
  const { getAutomation, listAutomations } = trpc.operationsManager;
  const refresh = useRefresh(getAutomation.pathFilter(), listAutomations.pathFilter());
  // What is stored may change while the form is open: what it held at first says what this user changes.
  const [opened] = useState({
    name: automation.name,
    description: automation.description ?? '',
    componentName: automation.componentName ?? '',
  });
  const [draft, change] = useDraft(opened);
  const [stamp, setStamp] = useState(automation.lastUpdated);
  const startsWorkflow = automation.componentType === 'workflows';
  const fields = Object.entries(draft).map(([key, text]) => [key, text.trim()] as const);
  const changed = fields.filter(([key, text]) => text !== opened[key as keyof typeof opened]);
  const { _id: id } = automation;
  return (
    <FormDialog
      title="Change automation"
      action="Save"
      isOpen
      onClose={onClose}
      isReady={draft.name.trim() !== '' && (!startsWorkflow || draft.componentName.trim() !== '')}
      onSubmit={async () => {
        await saveOver(
          stamp,
          (options) =>
            api.operationsManager.updateAutomation.mutate(
              { id, automation: Object.fromEntries(changed) },
              options,
            ),
          async () => setStamp((await api.operationsManager.getAutomation.query({ id })).data.lastUpdated),
        );
        await refresh();
      }}
    >
      <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} isRequired autoFocus />
      {startsWorkflow && (
        <WorkflowField value={draft.componentName} onChange={(componentName) => change({ componentName })} />
      )}
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => change({ description })}
      />
    </FormDialog>
  );
}
