import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { searchWith, useUrlState } from '~/app/url-state.ts';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { QueryView } from '~/ui/states.tsx';
import { NodeDevices } from './node-devices.tsx';
import { NodeVariables } from './node-variables.tsx';
import type { Place } from './place.ts';
import { Rules } from './template/rules.tsx';
import { TemplateEditor } from './template/template-editor.tsx';
import { NodeDialog } from './tree-dialogs.tsx';

type Node = Outputs['configurationManager']['getVersion']['root'];

const TABS = ['template', 'rules', 'devices', 'variables'] as const;
const TITLES = { template: 'Template', rules: 'Rules', devices: 'Devices', variables: 'Variables' };

/** One node: its template, its rules with those it inherits, its devices, and the variables of its version. */
export function NodePanel({ place, root }: { place: Place; root: Node }) {
  const may = useMay();
  const [{ tab = 'template' }, setUrl] = useUrlState();
  const [action, setAction] = useState<'add' | 'rename' | 'delete'>();
  const query = useQuery(trpc.configurationManager.getNode.queryOptions(place));
  const isRoot = !place.nodePath.includes('/');
  return (
    <section className="column" aria-label="Node">
      <div className="page-head">
        <h2>{place.nodePath}</h2>
        {may('configurationManager.createNode') && (
          <ActionMenu
            label="Node"
            actions={[
              { label: 'Add a node below', onAction: () => setAction('add') },
              { label: 'Rename', onAction: () => setAction('rename') },
              { label: 'Delete', onAction: () => setAction('delete'), isDisabled: isRoot },
            ]}
          />
        )}
      </div>
      <nav className="tabs" aria-label="Parts of the node">
        {TABS.map((name) => (
          <Link
            key={name}
            to="."
            search={searchWith({ tab: name })}
            aria-current={tab === name ? 'page' : undefined}
          >
            {TITLES[name]}
          </Link>
        ))}
      </nav>
      <QueryView query={query} loading="Loading the node">
        {(node) =>
          tab === 'rules' ? (
            <Rules place={place} node={node} root={root} />
          ) : tab === 'devices' ? (
            <NodeDevices place={place} node={node} />
          ) : tab === 'variables' ? (
            <NodeVariables place={place} />
          ) : (
            <TemplateEditor place={place} node={node} />
          )
        }
      </QueryView>
      {action && (
        <NodeDialog
          place={place}
          action={action}
          onClose={() => setAction(undefined)}
          onDone={(node) => setUrl({ node })}
        />
      )}
    </section>
  );
}
