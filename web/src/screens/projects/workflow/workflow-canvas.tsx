import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { memo, useMemo, useRef } from 'react';
import type { Outputs } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { type LayoutRequest, NODE_HEIGHT, NODE_WIDTH, type Places } from '~/ui/graph-layout/layout.ts';
import { extentOf, openingView } from '~/ui/graph-layout/opening.ts';
import { useLayout } from '~/ui/graph-layout/use-layout.ts';
import { Loading } from '~/ui/states.tsx';
import '@xyflow/react/dist/style.css';
import './workflow.css';

type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number];

type TaskNode = Node<{ title: string; detail: string; taskKey: string }, 'task'>;

const COLOURS: Record<string, string> = {
  success: 'var(--good)',
  failure: 'var(--warn)',
  error: 'var(--bad)',
  loop: 'var(--info)',
};

/** The task with which every workflow begins. */
const FIRST = 'workflow_start';
const NODE_TYPES = { task: memo(TaskBox) };
/** What screen readers say of a task beside its name; that of the library speaks of moving and deleting it. */
const OPENS = 'Enter opens the task.';
const KEYS = {
  'node.a11yDescription.default': OPENS,
  'node.a11yDescription.keyboardDisabled': OPENS,
};

/** The graph of a workflow. Nothing can be moved; a task opens by a press. */
export function WorkflowCanvas({ workflow }: { workflow: Workflow }) {
  const [{ task: chosen }, setUrl] = useUrlState();
  const onChoose = (id: string | undefined) => setUrl({ task: id });
  const task = chosen === undefined ? undefined : workflow.tasks?.[chosen];
  const edges = useMemo(() => edgesOf(workflow), [workflow]);
  const drawn = useMemo(() => drawnPlaces(workflow), [workflow]);
  const request = useMemo(() => (drawn ? undefined : requestOf(workflow)), [drawn, workflow]);
  const laidOut = useLayout(request);
  const places = drawn ?? laidOut;
  const placed = useMemo(() => places && nodesOf(workflow, places), [workflow, places]);
  const nodes = useMemo(
    () => placed?.map((node) => ({ ...node, selected: node.id === chosen })),
    [placed, chosen],
  );
  const frame = useRef<HTMLElement>(null);
  if (!nodes) return <Loading what="Laying out the graph" />;
  return (
    <>
      <section className="workflow-canvas" aria-label="Graph" ref={frame}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          onNodeClick={(_, { id }) => onChoose(id)}
          onNodesChange={(changes) => {
            for (const change of changes)
              if (change.type === 'select' && change.selected) onChoose(change.id);
          }}
          nodesDraggable={false}
          nodesConnectable={false}
          edgesFocusable={false}
          ariaLabelConfig={KEYS}
          minZoom={0.05}
          onInit={(instance) => {
            const { clientWidth: width = 0, clientHeight: height = 0 } = frame.current ?? {};
            const view =
              places && openingView(extentOf(places), { width, height }, places.get(chosen ?? FIRST));
            if (view) void instance.setCenter(view.x, view.y, { zoom: view.zoom });
            else void instance.fitView({ maxZoom: 1 });
          }}
        >
          <Background />
          <Controls showInteractive={false} fitViewOptions={{ maxZoom: 1 }} />
        </ReactFlow>
      </section>
      {task && (
        <section className="card" aria-label="Task">
          <div className="row">
            <h2>{task.summary || task.name}</h2>
            <code>{chosen}</code>
            <Button onPress={() => onChoose(undefined)}>Close</Button>
          </div>
          <JsonView label="Variables" value={task.variables ?? {}} />
        </section>
      )}
    </>
  );
}

function TaskBox({ data: { title, detail, taskKey } }: NodeProps<TaskNode>) {
  return (
    <div className="task-box" title={title}>
      <Handle type="target" position={Position.Left} />
      <strong>{title}</strong>
      <span className="muted small">
        {taskKey} {detail}
      </span>
      <Handle type="source" position={Position.Right} />
    </div>
  );
}

const edgesOf = ({ transitions = {} }: Workflow): Edge[] =>
  Object.entries(transitions).flatMap(([from, targets]) =>
    Object.entries(targets).map(([to, { state, type }]): Edge => {
      const colour = COLOURS[state] ?? 'var(--line-strong)';
      return {
        id: `${from} ${to} ${state}`,
        source: from,
        target: to,
        ...(state !== 'success' && { label: state }),
        style: { stroke: colour, ...(type === 'revert' && { strokeDasharray: '6 4' }) },
        markerEnd: { type: MarkerType.ArrowClosed, color: colour },
        ariaLabel: `${state} from ${from} to ${to}`,
      };
    }),
  );

/** Returns where the author of a workflow placed its tasks; undefined where one has no place, or all are on a few. */
function drawnPlaces({ tasks = {} }: Workflow): Places | undefined {
  const all = Object.entries(tasks);
  const drawn = new Map(
    all.flatMap(([key, { nodeLocation, ...older }]) => {
      const { x = older.x, y = older.y } = nodeLocation ?? {};
      return x === undefined || y === undefined ? [] : [[key, { x, y }] as const];
    }),
  );
  const places = new Set([...drawn.values()].map(({ x, y }) => `${x} ${y}`));
  return drawn.size === all.length && places.size > all.length * 0.8 ? drawn : undefined;
}

/** Returns the graph of a workflow that is laid out. */
const requestOf = ({ tasks = {}, transitions = {} }: Workflow): LayoutRequest => ({
  ids: Object.keys(tasks),
  edges: Object.entries(transitions).flatMap(([from, targets]) =>
    Object.entries(targets).flatMap(([to, { type }]) => (type === 'revert' ? [] : [[from, to] as const])),
  ),
  isTall: false,
});

function nodesOf({ tasks = {} }: Workflow, places: Places): TaskNode[] {
  const nodes = Object.entries(tasks).map(([key, task]): TaskNode => {
    const title = task.summary || task.name || key;
    return {
      id: key,
      type: 'task',
      position: places.get(key) ?? { x: 0, y: 0 },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      ariaLabel: `Task ${key}: ${title}`,
      data: { title, detail: task.app ?? '', taskKey: key },
    };
  });
  // As they are read, from left to right: Tab goes from one to the next.
  return nodes.sort((one, other) => one.position.x - other.position.x || one.position.y - other.position.y);
}
