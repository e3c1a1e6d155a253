import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { JsonField, jsonText } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { withPart } from '~/ui/form/with-part.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { namesIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { SelectionDialog } from '~/ui/selection/selection-dialog.tsx';
import { type Selection, selectionText } from '~/ui/selection/selection-draft.ts';
import { useDeviceGroups } from '../../devices/use-device-groups.ts';

export type Plan = Outputs['configurationManager']['searchPlans']['plans'][number];
type PlanNode = Plan['nodes'][number];
type Tree = Outputs['configurationManager']['listTrees'][number];
type TreeNode = Outputs['configurationManager']['getVersion']['root'];

/** A node while it is edited: names and variables as they are typed. */
type NodeDraft = Pick<PlanNode, 'treeId' | 'version' | 'nodeId' | 'deviceGroups'> & {
  /** Tells the nodes of a form apart, which may be equal. */
  key: number;
  names: string;
  selection: Selection | undefined;
  variables: string;
};

/** Number of drafts so far: each is a key of its own in the list. */
let drafts = 0;

const draftOf = (node?: PlanNode): NodeDraft => ({
  key: drafts++,
  treeId: node?.treeId ?? '',
  version: node?.version ?? '',
  nodeId: node?.nodeId ?? '',
  names: (node?.devices ?? []).join('\n'),
  deviceGroups: node?.deviceGroups ?? [],
  selection: node?.selection,
  variables: jsonText(node?.variables),
});

type SentNode = NonNullable<
  NonNullable<Inputs['configurationManager']['createPlan']['options']>['nodes']
>[number];

const sentOf = ({ key: _, names, variables, ...node }: NodeDraft): SentNode => ({
  ...node,
  devices: namesIn(names),
  variables: parseObject(variables).value,
});

const isComplete = ({ nodeId, variables }: NodeDraft) =>
  nodeId !== '' && parseObject(variables).value !== undefined;

/** Creates a compliance plan, or changes one. */
export function PlanForm({ plan, onClose }: { plan?: Plan; onClose: () => void }) {
  const refresh = useRefresh(trpc.configurationManager.searchPlans.pathFilter());
  // What is stored may change while the form is open: what it held at first is what this user changes.
  const [stamp, setStamp] = useState(plan?.lastUpdated);
  const [draft, change] = useDraft({
    name: plan?.name ?? '',
    description: plan?.description ?? '',
    throttle: String(plan?.throttle ?? 5),
    nodes: plan ? plan.nodes.map(draftOf) : [draftOf()],
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
      isReady={name !== '' && draft.nodes.every(isComplete)}
      onSubmit={async () => {
        const { createPlan, updatePlan, getPlan } = api.configurationManager;
        const options = {
          description: draft.description,
          throttle: Number(draft.throttle),
          nodes: draft.nodes.map(sentOf),
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
            label: 'Devices in parallel',
            type: 'number',
            min: 1,
            max: 1000,
            isRequired: true,
          },
        ]}
      />
      {draft.nodes.map((node, at) => (
        <NodeFields
          key={node.key}
          number={at + 1}
          node={node}
          reads={trees}
          onChange={(next) => change({ nodes: withPart(draft.nodes, at, next) })}
        />
      ))}
      <div className="row">
        <Button onPress={() => change({ nodes: [...draft.nodes, draftOf()] })}>Add node</Button>
      </div>
    </FormDialog>
  );
}

/** Returns the nodes of a tree that have rules of their own, as choices by their paths. */
const choicesOf = (node: TreeNode, above = ''): { value: string; label: string }[] => {
  const path = above ? `${above}/${node.name}` : node.name;
  const configId = node.attributes?.configId;
  return [
    ...(configId ? [{ value: configId, label: path }] : []),
    ...(node.children ?? []).flatMap((child) => choicesOf(child, path)),
  ];
};

type NodeFieldsProps = {
  number: number;
  node: NodeDraft;
  reads: UseQueryResult<readonly Tree[], unknown>;
  onChange: (node: NodeDraft | undefined) => void;
};

/** Which node is checked, and which devices against it. */
function NodeFields({ number, node, reads, onChange }: NodeFieldsProps) {
  const trees = reads.data ?? [];
  const { treeId, version, nodeId, names, deviceGroups, selection, variables } = node;
  const tree = trees.find(({ id }) => id === treeId);
  const root = useQuery(
    trpc.configurationManager.getVersion.queryOptions({ treeId, version }, { enabled: treeId !== '' }),
  );
  const groupsRead = useDeviceGroups();
  const groups = groupsRead.data ?? [];
  const [isSelecting, setSelecting] = useState(false);
  return (
    <fieldset className="check-list column">
      <legend className="field-label">Node {number}</legend>
      <div className="columns narrow">
        <SelectField
          label={`Golden config ${number}`}
          from={reads}
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
            ...trees.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SelectField
          label={`Version ${number}`}
          value={version}
          onChange={(next) => onChange({ ...node, version: next, nodeId: '' })}
          choices={(tree?.versions ?? [version]).map((one) => ({ value: one, label: one }))}
        />
        <SelectField
          label={`Node to check ${number}`}
          from={root}
          value={nodeId}
          onChange={(next) => onChange({ ...node, nodeId: next })}
          choices={[{ value: '', label: 'Choose one' }, ...(root.data ? choicesOf(root.data.root) : [])]}
        />
      </div>
      <p className="muted small">
        It checks the devices of the node, or only those that are named, grouped or selected here.
      </p>
      <TextArea
        label={`Only these devices ${number}`}
        hint="One per line"
        rows={2}
        value={names}
        onChange={(text) => onChange({ ...node, names: text })}
      />
      {(groups.length > 0 || deviceGroups.length > 0 || groupsRead.isError) && (
        <CheckList
          label={`Devices of groups ${number}`}
          from={groupsRead}
          items={[
            ...groups,
            // A group that was deleted, or that this user may not see, is kept until it is taken out.
            ...deviceGroups
              .filter((id) => !groups.some((one) => one.id === id))
              .map((id) => ({ id, name: id })),
          ]}
          chosen={new Set(deviceGroups)}
          onChange={(chosen) => onChange({ ...node, deviceGroups: [...chosen] })}
        />
      )}
      <div className="row">
        <Button onPress={() => setSelecting(true)}>
          {selection ? `Change the selection ${number}` : `Select devices by properties ${number}`}
        </Button>
        {selection && (
          <>
            <span>{selectionText(selection)}</span>
            <Button onPress={() => onChange({ ...node, selection: undefined })}>
              Remove the selection {number}
            </Button>
          </>
        )}
      </div>
      <JsonField
        label={`Variables ${number}`}
        hint="As JSON; for the templates of rules, before those of the golden config and its nodes"
        rows={3}
        text={variables}
        onChange={(text) => onChange({ ...node, variables: text })}
      />
      {number > 1 && (
        <div className="row">
          <Button onPress={() => onChange(undefined)}>Remove node {number}</Button>
        </div>
      )}
      {isSelecting && (
        <SelectionDialog
          initial={selection}
          onSelect={(next) => onChange({ ...node, selection: next })}
          onClose={() => setSelecting(false)}
        />
      )}
    </fieldset>
  );
}
