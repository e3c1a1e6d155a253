import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { projectPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Page } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { CreateProject } from './create-project.tsx';
import { ImportProject } from './import-project.tsx';
import { InstallPrebuilt } from './install-prebuilt.tsx';
import { Prebuilts } from './prebuilts.tsx';
import { Workflows } from './workflows.tsx';

type Project = Outputs['automationStudio']['listProjects']['data'][number];

const TABS = [
  { key: 'projects', label: 'Projects' },
  { key: 'workflows', label: 'Workflows' },
  { key: 'prebuilts', label: 'Prebuilts' },
] as const;

/** Screen 12: projects, workflows and prebuilts. */
export function ProjectsPage() {
  const tab = useTab(TABS);
  const may = useMay();
  const [open, setOpen] = useState<'create' | 'import' | 'install'>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title="Projects"
      actions={
        <>
          {tab === 'projects' && may('automationStudio.importProject') && (
            <Button onPress={() => setOpen('import')}>Import project</Button>
          )}
          {tab === 'projects' && may('automationStudio.createProject') && (
            <Button variant="primary" onPress={() => setOpen('create')}>
              Create project
            </Button>
          )}
          {tab === 'prebuilts' && may('prebuilts.importPrebuilt') && (
            <Button variant="primary" onPress={() => setOpen('install')}>
              Install prebuilt
            </Button>
          )}
        </>
      }
    >
      <TabLinks label="Projects" tabs={TABS} current={tab} />
      {tab === 'projects' && <Projects />}
      {tab === 'workflows' && <Workflows />}
      {tab === 'prebuilts' && <Prebuilts />}
      {open === 'create' && <CreateProject onClose={close} />}
      {open === 'import' && <ImportProject onClose={close} />}
      {open === 'install' && <InstallPrebuilt onClose={close} />}
    </Page>
  );
}

const COLUMNS: Column<Project>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link to={projectPath(_id)}>{visibleText(name)}</Link>,
    text: ({ name }) => name,
  },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description }) => visibleText(description ?? ''),
    text: ({ description }) => description,
  },
  {
    key: 'components',
    header: 'Components',
    isNumber: true,
    cell: ({ components = [] }) => components.length,
    text: ({ components = [] }) => components.length,
  },
  {
    key: 'members',
    header: 'Members',
    isNumber: true,
    cell: ({ members = [] }) => members.length,
    text: ({ members = [] }) => members.length,
  },
  {
    key: 'updated',
    header: 'Changed',
    sortField: 'lastUpdated',
    cell: ({ lastUpdated }) => <Time value={lastUpdated} />,
    text: ({ lastUpdated }) => lastUpdated,
  },
];

function Projects() {
  const [url] = useUrlState();
  const input = listInput(url, 'name', { field: 'name', order: 1 });
  return (
    <ListView
      title="Projects"
      columns={COLUMNS}
      rowKey={({ _id }) => _id}
      path={trpc.automationStudio.listProjects.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { data, metadata } = await api.automationStudio.listProjects.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: data, total: metadata.total };
      }}
      empty={
        <Empty title="There is no project yet">
          <p>A project keeps workflows, forms and templates together. Create one, or import one.</p>
        </Empty>
      }
    />
  );
}
