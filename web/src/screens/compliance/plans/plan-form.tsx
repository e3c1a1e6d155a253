import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { SelectField, TextArea } from '~/ui/fields.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { withPart } from '~/ui/form/with-part.ts';
import { namesIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { type Selection, selectionText } from '~/ui/selection/selection-draft.ts';
import { visibleText } from '~/ui/visible-text.ts';

export type Plan = Outputs['configurationManager']['searchPlans']['plans'][number];
type PlanNode = Plan['nodes'][number];
type Tree = Outputs['configurationManager']['listTrees'][number];
type TreeNode = Outputs['configurationManager']['getVersion']['root'];

const NEW_NODE: PlanNode = {
  treeId: '',
  version: '',
  nodeId: '',
  devices: [],
  deviceGroups: [],
  variables: {},
};

/** Creates a compliance plan, or changes one; what the form does not show of its nodes stays as it is stored. */
export function PlanForm({ plan, onClose }: { plan?: Plan; onClose: () => void }) {
  const refresh = useRefresh(trpc.configurationManager.searchPlans.pathFilter());
  // What is stored may change while the form is open: what it held at first is what this user changes.
  const [stamp, setStamp] = useState(plan?.lastUpdated);
  const [draft, change] = useDraft({
    name: plan?.name ?? '',
    description: plan?.description ?? '',
    throttle: String(plan?.throttle ?? 5),
    nodes: plan?.nodes ?? [NEW_NODE],
  });
  const trees = useQuery(trpc.configurationManager.listTrees.queryOptions({}));
  const name = draft.name.trim();
  return (
    <FormDialog
      title={plan ? 'Change compliance plan' : 'Create compliance plan'}
      action={plan ? 'Save' : 'Create plan'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name !== '' && draft.nodes.every(({ nodeId }) => nodeId !== '')}
      onSubmit={async () => {
        const { createPlan, updatePlan, getPlan } = api.configurationManager;
        const options = {
          description: draft.description,
          throttle: Number(draft.throttle),
          nodes: draft.nodes.map(
            ({ treeId, version, nodeId, devices, deviceGroups, selection, variables }) => ({
              ...{ treeId, version, nodeId, devices, deviceGroups, variables },
              ...(selection && { selection }),
            }),
          ),
        };
        if (!plan) await createPlan.mutate({ name, options });
        else {
          await saveOver(
            stamp,
            (condition) => updatePlan.mutate({ planId: plan.id, options: { ...options, name } }, condition),
            async () => setStamp((await getPlan.query({ planId: plan.id })).lastUpdated),
          );
        }
        await refresh();
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'description', label: 'Description' },
          {
            key: 'throttle',
            label: 'Devices at a time',
            type: 'number',
            min: 1,
            max: 1000,
            isRequired: true,
          },
        ]}
      />
      {draft.nodes.map((node, at) => (
        <NodeFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a node that is not chosen yet has no identity
          key={at}
          number={at + 1}
          node={node}
          trees={trees.data ?? []}
          onChange={(next) => change({ nodes: withPart(draft.nodes, at, next) })}
        />
      ))}
      <div className="row">
        <Button onPress={() => change({ nodes: [...draft.nodes, NEW_NODE] })}>Add node</Button>
      </div>
    </FormDialog>
  );
}

/** Returns the nodes of a tree that have rules of their own, as choices by their paths. */
const choicesOf = (node: TreeNode, above = ''): { value: string; label: string }[] => {
  const path = above ? `${above}/${node.name}` : node.name;
  const configId = node.attributes?.configId;
  return [
    ...(configId ? [{ value: configId, label: visibleText(path) }] : []),
    ...(node.children ?? []).flatMap((child) => choicesOf(child, path)),
  ];
};

type NodeFieldsProps = {
  number: number;
  node: PlanNode;
  trees: readonly Tree[];
  onChange: (node: PlanNode | undefined) => void;
};

/** Which node is checked, and which devices against it. */
function NodeFields({ number, node, trees, onChange }: NodeFieldsProps) {
  const { treeId, version, nodeId, devices, deviceGroups, selection } = node;
  const tree = trees.find(({ id }) => id === treeId);
  const root = useQuery(
    trpc.configurationManager.getVersion.queryOptions({ treeId, version }, { enabled: treeId !== '' }),
  );
  const [names, setNames] = useState(devices.join('\n'));
  const further = [
    ...(deviceGroups.length > 0 ? [`those of ${deviceGroups.length} device groups`] : []),
    ...(selection ? [visibleText(selectionText(selection as Selection))] : []),
  ];
  return (
    <fieldset className="check-list column">
      <legend className="field-label">Node {number}</legend>
      <div className="columns narrow">
        <SelectField
          label={`Golden config ${number}`}
          value={treeId}
          onChange={(id) =>
            onChange({
              ...node,
              treeId: id,
              version: trees.find((one) => one.id === id)?.versions.at(-1) ?? '',
              nodeId: '',
            })
          }
          choices={[
            { value: '', label: 'Choose one' },
            ...trees.map(({ id, name }) => ({ value: id, label: visibleText(name) })),
          ]}
        />
        <SelectField
          label={`Version ${number}`}
          value={version}
          onChange={(next) => onChange({ ...node, version: next, nodeId: '' })}
          choices={(tree?.versions ?? [version]).map((one) => ({ value: one, label: visibleText(one) }))}
        />
        <SelectField
          label={`Node to check ${number}`}
          value={nodeId}
          onChange={(next) => onChange({ ...node, nodeId: next })}
          choices={[
            { value: '', label: root.isLoading ? 'Loading …' : 'Choose one' },
            ...(root.data ? choicesOf(root.data.root) : []),
          ]}
        />
      </div>
      <TextArea
        label={`Only these devices ${number}`}
        hint="One a line; empty: the devices of the node"
        rows={2}
        value={names}
        onChange={(text) => {
          setNames(text);
          onChange({ ...node, devices: namesIn(text) });
        }}
      />
      {further.length > 0 && <p className="muted">Also: {further.join('; ')}.</p>}
      {number > 1 && (
        <div className="row">
          <Button onPress={() => onChange(undefined)}>Remove node {number}</Button>
        </div>
      )}
    </fieldset>
  );
}
