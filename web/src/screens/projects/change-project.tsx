import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type Project = Outputs['automationStudio']['getProject']['data'];

/** Changes the name and the description of a project. */
export function ChangeProject({ project, onClose }: { project: Project; onClose: () => void }) {
  const { getProject, listProjects } = trpc.automationStudio;
  const refresh = useRefresh(getProject.pathFilter(), listProjects.pathFilter());
  const [draft, change] = useDraft({ name: project.name, description: project.description ?? '' });
  const name = draft.name.trim();
  return (
    <FormDialog
      title="Change project"
      action="Save"
      isOpen
      onClose={onClose}
      isReady={name !== ''}
      onSubmit={async () => {
        await api.automationStudio.updateProject.mutate({
          projectId: project._id,
          ...(name !== project.name && { name }),
          ...(draft.description !== (project.description ?? '') && { description: draft.description }),
        });
        await refresh();
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'description', label: 'Description' },
        ]}
      />
    </FormDialog>
  );
}
