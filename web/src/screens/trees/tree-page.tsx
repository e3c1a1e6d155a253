import './trees.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { searchWith, useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { QueryView } from '~/ui/states.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import { NodePanel } from './node-panel.tsx';
import { BranchDialog, DeleteDialog, RenameDialog } from './tree-dialogs.tsx';
import { VersionChanges } from './version-changes.tsx';

type Tree = Outputs['configurationManager']['getTree'];
type Node = Outputs['configurationManager']['getVersion']['root'];

/** Screen 10: one golden config: its versions, its nodes, and the rules of the chosen node. */
export function TreePage() {
  const treeId = usePathParam('treeId');
  const query = useQuery(trpc.configurationManager.getTree.queryOptions({ treeId }));
  return (
    <LoadedPage
      query={query}
      title={`Golden config ${treeId}`}
      titleOf={({ name }) => name}
      path={<PathLink to="/trees">Golden configs</PathLink>}
      actions={(tree) => <Actions tree={tree} />}
    >
      {(tree) => <Body tree={tree} />}
    </LoadedPage>
  );
}

const useVersion = ({ versions }: Tree): string => {
  const [{ version }] = useUrlState();
  return (version && versions.includes(version) ? version : versions.at(-1)) ?? 'initial';
};

function Actions({ tree }: { tree: Tree }) {
  const may = useMay();
  const navigate = useNavigate();
  const [, setUrl] = useUrlState();
  const version = useVersion(tree);
  const [open, setOpen] = useState<'rename' | 'branch' | 'delete-version' | 'delete-tree'>();
  const close = () => setOpen(undefined);
  const { id: treeId, name, versions } = tree;
  const save = async () => {
    const exported = await api.configurationManager.exportTree.query({ treeId });
    saveFile(`${name}.json`, JSON.stringify(exported, null, 2), 'application/json');
  };
  return (
    <>
      <LinkButton to="/compliance" search={{ tree: treeId, version }}>
        Compliance
      </LinkButton>
      <ActionMenu
        label="More"
        actions={[
          { label: 'Export', onAction: () => void save().catch(showProblem) },
          ...(may('configurationManager.updateTree')
            ? [{ label: 'Rename', onAction: () => setOpen('rename') }]
            : []),
          ...(may('configurationManager.createVersion')
            ? [{ label: `Branch ${version}`, onAction: () => setOpen('branch') }]
            : []),
          ...(may('configurationManager.deleteVersion')
            ? [
                {
                  label: `Delete version ${version}`,
                  onAction: () => setOpen('delete-version'),
                  isDisabled: versions.length < 2,
                },
              ]
            : []),
          ...(may('configurationManager.deleteTree')
            ? [{ label: 'Delete golden config', onAction: () => setOpen('delete-tree') }]
            : []),
        ]}
      />
      {open === 'rename' && <RenameDialog treeId={treeId} name={name} onClose={close} />}
      {open === 'branch' && (
        <BranchDialog
          treeId={treeId}
          base={version}
          onClose={close}
          onCreated={(next) => setUrl({ version: next })}
        />
      )}
      {(open === 'delete-version' || open === 'delete-tree') && (
        <DeleteDialog
          treeId={treeId}
          name={name}
          version={open === 'delete-version' ? version : undefined}
          onClose={close}
          onDeleted={() =>
            open === 'delete-version'
              ? setUrl({ version: undefined, node: undefined })
              : void navigate({ to: '/trees' })
          }
        />
      )}
    </>
  );
}

function Body({ tree }: { tree: Tree }) {
  const [{ node, compare }, setUrl] = useUrlState();
  const version = useVersion(tree);
  const { id: treeId, versions, deviceType, description } = tree;
  const query = useQuery(trpc.configurationManager.getVersion.queryOptions({ treeId, version }));
  return (
    <>
      <div className="row">
        <Badge>{deviceType}</Badge>
        {description && <span className="muted">{description}</span>}
      </div>
      <div className="row tree-choice">
        <SelectField
          label="Version"
          value={version}
          choices={versions.map((name) => ({ value: name, label: name }))}
          onChange={(next) => setUrl({ version: next, compare: undefined })}
        />
        {versions.length > 1 && (
          <SelectField
            label="What changed since"
            value={compare ?? ''}
            choices={[
              { value: '', label: 'Do not compare' },
              ...versions.filter((name) => name !== version).map((name) => ({ value: name, label: name })),
            ]}
            onChange={(next) => setUrl({ compare: next || undefined })}
          />
        )}
      </div>
      {compare && <VersionChanges treeId={treeId} before={compare} after={version} />}
      <QueryView query={query} loading="Loading nodes">
        {({ root }) => {
          const chosen = node && exists(root, node) ? node : root.name;
          return (
            <div className="tree-split">
              <nav className="card" aria-label="Nodes">
                <ul className="nodes">
                  <NodeItem node={root} path={root.name} chosen={chosen} version={version} />
                </ul>
              </nav>
              <NodePanel
                key={`${version} ${chosen}`}
                place={{ treeId, version, nodePath: chosen }}
                root={root}
              />
            </div>
          );
        }}
      </QueryView>
    </>
  );
}

const exists = (root: Node, path: string): boolean => {
  const [first, ...rest] = path.split('/');
  if (first !== root.name) return false;
  return rest.length === 0 || (root.children ?? []).some((child) => exists(child, rest.join('/')));
};

type NodeItemProps = { node: Node; path: string; chosen: string; version: string };

function NodeItem({ node, path, chosen, version }: NodeItemProps) {
  const { attributes, children = [], staleLines } = node;
  const devices = attributes?.devices?.length ?? 0;
  const groups = attributes?.deviceGroups?.length ?? 0;
  return (
    <li>
      <Link
        to="."
        search={searchWith({ version, node: path })}
        aria-current={path === chosen ? 'true' : undefined}
      >
        {node.name}{' '}
        <span className="muted small">
          {devices > 0 && `${devices} ${devices === 1 ? 'device' : 'devices'}`}
          {groups > 0 && ` ${groups} ${groups === 1 ? 'group' : 'groups'}`}
        </span>
        {staleLines && <Badge tone="warn">rules out of date</Badge>}
      </Link>
      {children.length > 0 && (
        <ul className="nodes">
          {children.map((child) => (
            <NodeItem
              key={child.name}
              node={child}
              path={`${path}/${child.name}`}
              chosen={chosen}
              version={version}
            />
          ))}
        </ul>
      )}
    </li>
  );
}
