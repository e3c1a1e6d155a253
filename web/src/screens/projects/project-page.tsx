import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { textTemplatePath, workflowPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import { DataTable } from '~/ui/table/data-table.tsx';
import { ChangeProject } from './change-project.tsx';
import { Members } from './members.tsx';
import { MissingList } from './missing-list.tsx';
import { UsedBy } from './used-by.tsx';

type Project = Outputs['automationStudio']['getProject']['data'];
type Component = NonNullable<Project['components']>[number];

/** A project: its components by folder, what it lacks here, who uses it, its members. */
export function ProjectPage() {
  const projectId = usePathParam('projectId');
  const project = useQuery(trpc.automationStudio.getProject.queryOptions({ projectId }));
  return (
    <LoadedPage
      query={project}
      title={projectId}
      titleOf={({ data }) => data.name}
      path={<PathLink to="/projects">Projects</PathLink>}
      actions={({ data }) => <Actions project={data} />}
    >
      {({ data }) => (
        <>
          {data.description && <p>{data.description}</p>}
          <Components components={data.components ?? []} />
          <div className="columns">
            <MissingParts projectId={projectId} />
            <Members project={data} />
          </div>
        </>
      )}
    </LoadedPage>
  );
}

function Actions({ project }: { project: Project }) {
  const { _id: projectId, name } = project;
  const may = useMay();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [isChanging, setChanging] = useState(false);
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
      <Button onPress={exportFile}>Export</Button>
      {may('automationStudio.updateProject') && <Button onPress={() => setChanging(true)}>Change</Button>}
      {isChanging && <ChangeProject project={project} onClose={() => setChanging(false)} />}
      {may('automationStudio.deleteProject') && (
        <Button variant="danger" onPress={() => setDeleting(true)}>
          Delete
        </Button>
      )}
      <FormDialog
        title={`Delete ${name}?`}
        action="Delete project"
        isDanger
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onSubmit={async () => {
          await api.automationStudio.deleteProject.mutate({ projectId });
          await queryClient.invalidateQueries(trpc.automationStudio.listProjects.pathFilter());
          await navigate({ to: '/projects' });
        }}
      >
        <p>The project and all of its components are deleted. Export it first to keep a copy.</p>
      </FormDialog>
    </>
  );
}

/** Returns the name of a component without the prefix of its project, which the page shows already. */
const bareName = (name: string) => name.replace(/^@[0-9a-f]{24}: /, '');

function Components({ components }: { components: readonly Component[] }) {
  const [shown, setShown] = useState<Component>();
  if (components.length === 0) {
    return (
      <Empty title="The project has no component">
        <p>Add workflows, templates, forms and transformations to it over the API.</p>
      </Empty>
    );
  }
  const sorted = [...components].sort((a, b) => (a.folder ?? '/').localeCompare(b.folder ?? '/', 'en'));
  return (
    <>
      <DataTable
        label="Components"
        rows={sorted}
        rowKey={({ iid }) => String(iid)}
        columns={[
          {
            key: 'name',
            header: 'Name',
            cell: ({ type, reference, name }) => {
              const text = bareName(name ?? reference);
              if (type === 'workflow') return <Link {...workflowPath(reference)}>{text}</Link>;
              if (type === 'template') return <Link {...textTemplatePath(reference)}>{text}</Link>;
              return text;
            },
          },
          { key: 'type', header: 'Kind', cell: ({ type }) => <Badge>{type}</Badge> },
          { key: 'folder', header: 'Folder', cell: ({ folder }) => folder ?? '/' },
          {
            key: 'used',
            header: 'Used by',
            cell: (component) => (
              <Button variant="quiet" onPress={() => setShown(component)}>
                Show
              </Button>
            ),
          },
        ]}
      />
      {shown && <UsedBy type={shown.type} reference={shown.reference} onClose={() => setShown(undefined)} />}
    </>
  );
}

function MissingParts({ projectId }: { projectId: string }) {
  const missing = useQuery(trpc.automationStudio.listMissing.queryOptions({ projectId }));
  return (
    <section className="card" aria-label="Missing parts">
      <h2>Missing parts</h2>
      <QueryView query={missing}>
        {({ data, metadata: { total } }) =>
          total === 0 ? (
            <p>Everything that this project needs is available.</p>
          ) : (
            <MissingList missing={data} />
          )
        }
      </QueryView>
    </section>
  );
}
