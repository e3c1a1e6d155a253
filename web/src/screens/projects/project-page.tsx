import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { showProblem } from '~/ui/toast.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { Components } from './components.tsx';
import { Missing } from './missing.tsx';
import { Uses } from './references.tsx';

type Project = Outputs['automationStudio']['getProject']['data'];
type Member = NonNullable<Project['members']>[number];

const TABS = [
  { key: 'components', label: 'Components' },
  { key: 'uses', label: 'References out of the project' },
  { key: 'missing', label: 'Missing' },
  { key: 'members', label: 'Members' },
] as const;

/** One project: its components by folder, what it uses, what it lacks, and who may work on it. */
export function ProjectPage() {
  const projectId = usePathParam('projectId');
  const project = useQuery(trpc.automationStudio.getProject.queryOptions({ projectId }));
  const tab = useTab(TABS);
  return (
    <LoadedPage
      query={project}
      title="Project"
      titleOf={({ data }) => data.name}
      path={<Link to="/projects">Projects</Link>}
      actions={({ data }) => <Actions project={data} />}
    >
      {({ data }) => (
        <>
          {data.description && <p>{visibleText(data.description)}</p>}
          <TabLinks label="About this project" tabs={TABS} current={tab} />
          {tab === 'components' && <Components project={data} />}
          {tab === 'uses' && <Uses projectId={projectId} />}
          {tab === 'missing' && <Missing projectId={projectId} />}
          {tab === 'members' && (
            <DataTable
              label="Members"
              columns={MEMBER_COLUMNS}
              rows={data.members ?? []}
              rowKey={({ type, reference }) => `${type} ${reference}`}
            />
          )}
        </>
      )}
    </LoadedPage>
  );
}

const MEMBER_COLUMNS: Column<Member>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ username, name, reference, missing }) =>
      visibleText(`${username ?? name ?? reference}${missing ? ' (no longer exists)' : ''}`),
  },
  { key: 'type', header: 'Kind', cell: ({ type }) => type },
  { key: 'role', header: 'Role in the project', cell: ({ role }) => role },
];

function Actions({ project }: { project: Project }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(
    trpc.automationStudio.listProjects.pathFilter(),
    trpc.automationStudio.listWorkflows.pathFilter(),
  );
  const [isDeleting, setDeleting] = useState(false);
  const { _id: projectId, name, components = [] } = project;
  const exportFile = async () => {
    try {
      const { data } = await api.automationStudio.exportProject.query({ projectId });
      saveFile(`${name}.project.json`, JSON.stringify(data, null, 2), 'application/json');
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <>
      {may('automationStudio.exportProject') && <Button onPress={exportFile}>Export</Button>}
      {may('automationStudio.deleteProject') && (
        <Button variant="danger" onPress={() => setDeleting(true)}>
          Delete
        </Button>
      )}
      <FormDialog
        title="Delete project"
        action="Delete project"
        isDanger
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onSubmit={async () => {
          await api.automationStudio.deleteProject.mutate({ projectId });
          await navigate({ to: '/projects' as string });
          await refresh();
        }}
      >
        <p>
          The project “{visibleText(name)}” goes, and with it its {components.length} components:
        </p>
        <ul>
          {components.slice(0, 50).map(({ iid, type, name: component, reference }) => (
            <li key={iid}>{visibleText(`${type} ${component ?? reference}`)}</li>
          ))}
        </ul>
      </FormDialog>
    </>
  );
}
