import dagre from '@dagrejs/dagre';
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
import { memo, useMemo } from 'react';
import type { Outputs } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import '@xyflow/react/dist/style.css';
import './workflow.css';

type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number];

type TaskNode = Node<{ title: string; detail: string; taskKey: string }, 'task'>;

const WIDTH = 190;
const HEIGHT = 56;
const COLOURS: Record<string, string> = {
  success: 'var(--good)',
  failure: 'var(--warn)',
  error: 'var(--bad)',
  loop: 'var(--info)',
};

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
  const placed = useMemo(() => nodesOf(workflow, edges), [workflow, edges]);
  const nodes = useMemo(
    () => placed.map((node) => ({ ...node, selected: node.id === chosen })),
    [placed, chosen],
  );
  return (
    <>
      <section className="workflow-canvas" aria-label="Graph">
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
          fitView
          fitViewOptions={{ minZoom: 0.3, maxZoom: 1 }}
        >
          <Background />
          <Controls showInteractive={false} />
        </ReactFlow>
      </section>
      {task && (
        <section className="card" aria-label="Task">
          <div className="row">
            <h2>{visibleText(task.summary || task.name)}</h2>
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
    <div className="task-box" title={visibleText(title)}>
      <Handle type="target" position={Position.Left} />
      <strong>{visibleText(title)}</strong>
      <span className="muted small">
        {taskKey} {visibleText(detail)}
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

function nodesOf({ tasks = {} }: Workflow, edges: readonly Edge[]): TaskNode[] {
  const stored = Object.values(tasks).map(({ nodeLocation, x, y }) => ({
    x: nodeLocation?.x ?? x,
    y: nodeLocation?.y ?? y,
  }));
  const places = new Set(stored.map(({ x, y }) => `${x} ${y}`));
  // Documents without places, or with all tasks on a few, are laid out anew.
  const isPlaced =
    stored.every(({ x, y }) => x !== undefined && y !== undefined) && places.size > stored.length * 0.8;
  const laidOut = isPlaced ? undefined : layout(Object.keys(tasks), edges);
  const nodes = Object.entries(tasks).map(([key, task], index): TaskNode => {
    const title = task.summary || task.name || key;
    return {
      id: key,
      type: 'task',
      position: laidOut?.get(key) ?? { x: stored[index]?.x ?? 0, y: stored[index]?.y ?? 0 },
      width: WIDTH,
      height: HEIGHT,
      ariaLabel: `Task ${key}: ${title}`,
      data: { title, detail: task.app ?? '', taskKey: key },
    };
  });
  // As they are read, from left to right: Tab goes from one to the next.
  return nodes.sort((one, other) => one.position.x - other.position.x || one.position.y - other.position.y);
}

function layout(keys: readonly string[], edges: readonly Edge[]): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph().setGraph({ rankdir: 'LR', nodesep: 30, ranksep: 70 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const key of keys) graph.setNode(key, { width: WIDTH, height: HEIGHT });
  for (const { source, target } of edges) graph.setEdge(source, target);
  dagre.layout(graph);
  return new Map(
    keys.map((key) => [key, { x: graph.node(key).x - WIDTH / 2, y: graph.node(key).y - HEIGHT / 2 }]),
  );
}
