import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { automationPath, projectPath, workflowPath } from '~/app/paths.ts';
import { Button } from '~/ui/button.tsx';
import { Dialog } from '~/ui/dialog.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import type { Component } from './components.tsx';

type Reference = Outputs['automationStudio']['listReferencesTo']['data'][number];
type Used = NonNullable<
  Outputs['automationStudio']['exportProject']['data']['referencedComponentHashes']
>[number];

const PATHS: Partial<Record<Reference['type'], (id: string) => string>> = {
  workflow: workflowPath,
  automation: automationPath,
  project: projectPath,
};

/** The documents that use a component. */
export function UsedBy({ component, onClose }: { component: Component; onClose: () => void }) {
  const references = useQuery(
    trpc.automationStudio.listReferencesTo.queryOptions({
      'target-type': component.type,
      'target-identifiers': [component.reference],
    }),
  );
  return (
    <Dialog
      title={`What uses ${visibleText(component.name ?? component.reference)}`}
      isOpen
      onClose={onClose}
    >
      <QueryView query={references} loading="Loading references">
        {({ data }) =>
          data.length === 0 ? (
            <p>Nothing uses it.</p>
          ) : (
            <ul>
              {data.map(({ type, _id, name }) => (
                <li key={`${type} ${_id}`}>
                  {type} <ReferenceLink type={type} id={_id} name={name} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function ReferenceLink({ type, id, name }: { type: Reference['type']; id: string; name: string }) {
  const path = PATHS[type]?.(id);
  return path ? <Link to={path}>{visibleText(name)}</Link> : visibleText(name);
}

const COLUMNS: Column<Used>[] = [
  { key: 'name', header: 'Name', cell: ({ name, reference }) => visibleText(name ?? reference ?? '') },
  { key: 'type', header: 'Kind', cell: ({ type }) => visibleText(type ?? '') },
];

/** What the components of a project use that is no part of it, as its export tells. */
export function Uses({ projectId }: { projectId: string }) {
  const exported = useQuery(trpc.automationStudio.exportProject.queryOptions({ projectId }));
  return (
    <QueryView query={exported} loading="Loading references">
      {({ data: { referencedComponentHashes = [] } }) =>
        referencedComponentHashes.length === 0 ? (
          <Empty title="The project uses nothing outside of itself" />
        ) : (
          <DataTable
            label="References out of the project"
            columns={COLUMNS}
            rows={referencedComponentHashes}
            rowKey={({ type, reference }) => `${type} ${reference}`}
          />
        )
      }
    </QueryView>
  );
}
