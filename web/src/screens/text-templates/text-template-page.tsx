import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { projectPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { UsedBy } from '~/screens/projects/used-by.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { ConfirmDialog, FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import { Time } from '~/ui/time.tsx';
import { nameText, projectOf } from '~/ui/visible-text.ts';
import { TextEditor } from './text-editor.tsx';
import { typeText } from './types.ts';

export type Template = Outputs['automationStudio']['getTemplate'];

/** One text template: its text beside the data with which it is tried, and the result. */
export function TextTemplatePage() {
  const id = usePathParam('templateId');
  const query = useQuery(trpc.automationStudio.getTemplate.queryOptions({ id }));
  return (
    <LoadedPage
      query={query}
      title={id}
      titleOf={({ name }) => nameText(name)}
      path={
        <>
          <PathLink to="/projects">Projects</PathLink> /{' '}
          <PathLink to="/text-templates">Text templates</PathLink>
        </>
      }
      actions={(template) => <Actions template={template} />}
    >
      {(template) => (
        <>
          <Summary template={template} />
          <TextEditor key={template._id} template={template} />
        </>
      )}
    </LoadedPage>
  );
}

function Summary({ template }: { template: Template }) {
  const { name, group, type, command, description, lastUpdated } = template;
  const project = projectOf(name);
  return (
    <section className="card" aria-label="Summary">
      <Details
        entries={[
          ['Type', typeText(type)],
          ['Group', group],
          ['Command', command && <code key="command">{command}</code>],
          ['Description', description && description],
          [
            'Project',
            project && (
              <Link key="project" {...projectPath(project)}>
                its project
              </Link>
            ),
          ],
          ['Changed', <Time key="changed" value={lastUpdated} />],
        ]}
      />
    </section>
  );
}

async function exportTemplate({ _id: id, name }: Template) {
  try {
    const template = await api.automationStudio.exportTemplate.query({ id });
    saveFile(`${nameText(name)}.template.json`, JSON.stringify(template, null, 2), 'application/json');
  } catch (error) {
    showProblem(error);
  }
}

function Actions({ template }: { template: Template }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.automationStudio.listTemplates.pathFilter());
  const [asked, setAsked] = useState<'users' | 'change' | 'delete'>();
  const close = () => setAsked(undefined);
  const { _id: id } = template;
  return (
    <>
      {may('automationStudio.updateTemplate') && (
        <Button onPress={() => setAsked('change')}>Change properties</Button>
      )}
      {may('automationStudio.listReferencesTo') && <Button onPress={() => setAsked('users')}>Used by</Button>}
      {may('automationStudio.exportTemplate') && (
        <Button onPress={() => exportTemplate(template)}>Export</Button>
      )}
      {may('automationStudio.deleteTemplate') && (
        <Button variant="danger" onPress={() => setAsked('delete')}>
          Delete
        </Button>
      )}
      {asked === 'change' && <ChangeProperties template={template} onClose={close} />}
      {asked === 'users' && <UsedBy type="template" reference={id} onClose={close} />}
      {asked === 'delete' && (
        <ConfirmDialog
          action="Delete template"
          onClose={close}
          onConfirm={async () => {
            await api.automationStudio.deleteTemplate.mutate({ id });
            showToast('The template is deleted');
            await navigate({ to: '/text-templates' });
            await refresh();
          }}
        >
          The template “{nameText(template.name)}” is deleted. One that workflows use cannot be deleted: “Used
          by” lists them.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Changes the name, the group, the command and the description of a template. */
function ChangeProperties({ template, onClose }: { template: Template; onClose: () => void }) {
  const { getTemplate, listTemplates } = trpc.automationStudio;
  const refresh = useRefresh(getTemplate.pathFilter(), listTemplates.pathFilter());
  const { _id: id } = template;
  const [stamp, setStamp] = useState(template.lastUpdated);
  const [draft, change] = useDraft({
    name: template.name,
    group: template.group,
    command: template.command ?? '',
    description: template.description ?? '',
  });
  const [name, group] = [draft.name.trim(), draft.group.trim()];
  return (
    <FormDialog
      title="Change properties"
      action="Save"
      isOpen
      onClose={onClose}
      isReady={name !== '' && group !== ''}
      onSubmit={async () => {
        await saveOver(
          stamp,
          (options) =>
            api.automationStudio.updateTemplate.mutate({ id, update: { ...draft, name, group } }, options),
          async () => setStamp((await api.automationStudio.getTemplate.query({ id })).lastUpdated),
        );
        await refresh();
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          {
            key: 'name',
            label: 'Name',
            hint: 'Workflows find the template by its name',
            isRequired: true,
            autoFocus: true,
          },
          { key: 'group', label: 'Group', isRequired: true },
          ...(template.type === 'textfsm'
            ? [{ key: 'command' as const, label: 'Command', hint: 'The command whose output it parses' }]
            : []),
          { key: 'description', label: 'Description' },
        ]}
      />
    </FormDialog>
  );
}
