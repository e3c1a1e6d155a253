import {
  Background,
  Controls,
  type Edge as FlowEdge,
  MarkerType,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useIsStacked } from '~/app/narrow-window.ts';
import {
  type LayoutRequest,
  NODE_HEIGHT,
  NODE_WIDTH,
  type Place,
  type Places,
} from '~/ui/graph-layout/layout.ts';
import { centreOf, extentOf, LEAST_ZOOM, MARGIN, openingView } from '~/ui/graph-layout/opening.ts';
import { useLayout } from '~/ui/graph-layout/use-layout.ts';
import { Loading } from '~/ui/states.tsx';
import { type Job, type JobTask, taskState, taskTitle } from '../job-state.tsx';
import { type Edge, edgesOf, stepsOf } from '../task-order.ts';
import type { StepsProps } from '../task-table.tsx';
import { drawnPlaces } from './drawn-places.ts';
import { type TaskFlowNode, TaskNode } from './task-node.tsx';
import '@xyflow/react/dist/base.css';
import './graph.css';

/** How long the graph needs to take on another width, in milliseconds. */
const SETTLED_MS = 50;
const NODE_TYPES = { task: TaskNode };
/** What screen readers say of a step beside its name; that of the library speaks of moving and deleting it. */
const OPENS = 'Enter opens the step, arrow keys go to the steps beside it.';
const KEYS = {
  'node.a11yDescription.default': OPENS,
  'node.a11yDescription.keyboardDisabled': OPENS,
};

const SIDEWAYS = [
  { type: 'target', position: Position.Left, x: 0, y: NODE_HEIGHT / 2, width: 1, height: 1 },
  { type: 'source', position: Position.Right, x: NODE_WIDTH, y: NODE_HEIGHT / 2, width: 1, height: 1 },
] as TaskFlowNode['handles'];
const DOWNWARDS = [
  { type: 'target', position: Position.Top, x: NODE_WIDTH / 2, y: 0, width: 1, height: 1 },
  { type: 'source', position: Position.Bottom, x: NODE_WIDTH / 2, y: NODE_HEIGHT, width: 1, height: 1 },
] as TaskFlowNode['handles'];

type NodeSpec = { place: Place; isChosen: boolean; isTall: boolean };

function nodeOf(id: string, task: JobTask, job: Job, { place, isChosen, isTall }: NodeSpec): TaskFlowNode {
  const title = taskTitle(id, task);
  const state = taskState(id, task, job);
  const handles = isTall ? DOWNWARDS : SIDEWAYS;
  return {
    id,
    type: 'task',
    position: place,
    data: { title, state, operation: task.name ?? '', iterations: task.iterations?.length ?? 0, isTall },
    selected: isChosen,
    ariaLabel: `${title}: ${state}`,
    // Known sizes spare the browser from measuring each node.
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
    ...(handles && { handles }),
  };
}

const flowEdgeOf = ({ from, to, state, type }: Edge): FlowEdge => ({
  id: `${from} ${state} ${type} ${to}`,
  source: from,
  target: to,
  type: 'smoothstep',
  className: `graph-edge graph-edge-${type === 'standard' ? state : type}`,
  ...((state !== 'success' || type !== 'standard') && {
    label: type === 'standard' ? state : `${type}${state === 'success' ? '' : ` on ${state}`}`,
  }),
  focusable: false,
  markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
});

/** The nodes of a job: a node stays the same object until its task changes, so that no other node is rendered again. */
function useNodes(job: Job, places: Places, chosen: string | undefined, isTall: boolean): TaskFlowNode[] {
  const [known] = useState(() => new Map<string, { key: unknown[]; node: TaskFlowNode }>());
  return useMemo(
    () =>
      // In the order in which they run: Tab goes from one to the next.
      stepsOf(job).map(({ id, task }) => {
        const place = places.get(id) ?? { x: 0, y: 0 };
        const key = [task, job.status, place, id === chosen];
        const before = known.get(id);
        if (before?.key.every((part, at) => part === key[at])) return before.node;
        const node = nodeOf(id, task, job, { place, isChosen: id === chosen, isTall });
        known.set(id, { key, node });
        return node;
      }),
    [job, places, chosen, isTall, known],
  );
}

/**
 * The whole workflow of a job, with the state of each task; arrow keys go from step to step. Where the window has no room for
 * steps beside each other, they are below each other.
 */
export function JobGraph(props: StepsProps) {
  const isTall = useIsStacked();
  return <DirectedGraph key={String(isTall)} {...props} isTall={isTall} />;
}

function DirectedGraph(props: StepsProps & { isTall: boolean }) {
  const { job, isTall } = props;
  // Transitions and places belong to the workflow, which a job keeps: they are worked out once for each set of tasks.
  const shape = JSON.stringify(edgesOf(job));
  const latest = useRef(job);
  latest.current = job;
  const { edges, drawn, request } = useMemo(() => {
    const edges = JSON.parse(shape) as Edge[];
    // What its author placed needs the width of a large window.
    const drawn = isTall ? undefined : drawnPlaces(latest.current);
    return { edges, drawn, request: drawn ? undefined : requestOf(latest.current, edges, isTall) };
  }, [shape, isTall]);
  const laidOut = useLayout(request);
  const places = drawn ?? laidOut;
  return places ? (
    <PlacedGraph {...props} edges={edges} places={places} />
  ) : (
    <Loading what="Laying out the graph" />
  );
}

/** Returns the graph of a job that is laid out: the transitions of a job that is reverted lead back. */
const requestOf = ({ tasks = {} }: Job, edges: readonly Edge[], isTall: boolean): LayoutRequest => ({
  ids: Object.keys(tasks),
  edges: edges.flatMap(({ from, to, type }) => (type === 'revert' ? [] : [[from, to] as const])),
  isTall,
});

type PlacedProps = StepsProps & { isTall: boolean; edges: readonly Edge[]; places: Places };

function PlacedGraph({ job, chosen, onChoose, isTall, edges, places }: PlacedProps) {
  const flow = useRef<ReactFlowInstance<TaskFlowNode>>(null);
  const flowEdges = useMemo(() => edges.map(flowEdgeOf), [edges]);
  const nodes = useNodes(job, places, chosen, isTall);
  const frame = useRef<HTMLDivElement>(null);
  const extent = extentOf(places);
  // A graph that is too wide to be read as a whole follows its job, until its user moves it.
  const isFollowing = useRef(false);
  const current = currentStep(job);
  useEffect(() => {
    const place = current === undefined ? undefined : places.get(current);
    if (!place || !isFollowing.current) return;
    const { x, y } = centreOf(place);
    void flow.current?.setCenter(x, y, { zoom: flow.current.getZoom() });
  }, [current, places]);
  // A step that is chosen elsewhere opens its panel, which takes half of the graph: the step stays in sight.
  useEffect(() => {
    const place = chosen === undefined ? undefined : places.get(chosen);
    if (!place) return undefined;
    const timer = setTimeout(() => {
      const { x, y } = centreOf(place);
      void flow.current?.setCenter(x, y, { zoom: flow.current.getZoom() });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [chosen, places]);
  const go = (id: string | undefined) => {
    const place = id === undefined ? undefined : places.get(id);
    if (id === undefined || place === undefined) return;
    onChoose(id);
    const { x, y } = centreOf(place);
    void flow.current?.setCenter(x, y, { zoom: flow.current.getZoom() });
    document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus();
  };
  const step = (event: KeyboardEvent) => {
    const node = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node');
    const id = node?.dataset.id ?? chosen ?? 'workflow_start';
    const next = neighbour(isTall ? (TURNED[event.key] ?? event.key) : event.key, id, edges);
    if (event.key === 'Enter' || event.key === ' ') {
      if (node) go(id);
    } else if (next === undefined) return;
    else go(next);
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes inside take the focus
    <div
      ref={frame}
      className="graph-frame"
      data-tall={isTall || undefined}
      style={{ '--graph-height': `${extent.height + 2 * MARGIN}px` } as CSSProperties}
      onKeyDown={step}
    >
      <ReactFlow<TaskFlowNode>
        nodes={nodes}
        edges={flowEdges}
        nodeTypes={NODE_TYPES}
        onInit={(instance) => {
          flow.current = instance;
          const room = frame.current?.clientWidth ?? extent.width;
          if (!isTall) {
            // As a whole where its texts can be read then; else what the job does now, or where it failed.
            const view = openingView(
              extent,
              { width: room, height: frame.current?.clientHeight ?? extent.height },
              places.get(current ?? 'workflow_start'),
            );
            isFollowing.current = view !== undefined;
            if (view) void instance.setCenter(view.x, view.y, { zoom: view.zoom });
            else void instance.fitView({ maxZoom: 1 });
            return;
          }
          // Its whole width, from the first step on: the rest follows below.
          const zoom = Math.min(1, Math.max(LEAST_ZOOM, (room - 2 * MARGIN) / extent.width));
          const { x } = places.get('workflow_start') ?? { x: extent.left };
          const left = extent.width * zoom <= room ? extent.left + extent.width / 2 : x + NODE_WIDTH / 2;
          void instance.setViewport({ x: room / 2 - left * zoom, y: MARGIN - extent.top * zoom, zoom });
        }}
        onNodeClick={(_, { id }) => onChoose(id)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        minZoom={0.05}
        onMoveStart={(event) => {
          // Without an event, it is moved here and by nobody.
          if (event) isFollowing.current = false;
        }}
        aria-label="Graph of the job"
        ariaLabelConfig={KEYS}
      >
        <Background />
        <Controls
          showInteractive={false}
          fitViewOptions={{ maxZoom: 1 }}
          onFitView={() => {
            isFollowing.current = false;
          }}
        />
      </ReactFlow>
    </div>
  );
}

/** The step at which a job is: the first that failed, or that runs; undefined: none, or it is over. */
function currentStep(job: Job): string | undefined {
  const steps = Object.entries(job.tasks ?? {});
  const failed = job.status === 'error' && steps.find(([, { status }]) => status === 'error');
  return (failed || steps.find(([, { status }]) => status === 'running'))?.[0];
}

/** Arrow keys of a graph from top to bottom, as those of one from left to right. */
const TURNED: Readonly<Record<string, string>> = {
  ArrowDown: 'ArrowRight',
  ArrowUp: 'ArrowLeft',
  ArrowRight: 'ArrowDown',
  ArrowLeft: 'ArrowUp',
};

/** The step that an arrow key leads to: along a transition, or to the next branch of the same step before. */
function neighbour(key: string, id: string, edges: readonly Edge[]): string | undefined {
  const before = edges.find(({ to, type }) => to === id && type !== 'revert')?.from;
  if (key === 'ArrowRight') return edges.find(({ from, type }) => from === id && type !== 'revert')?.to;
  if (key === 'ArrowLeft') return before;
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined;
  const branches = edges.filter(({ from }) => from === before).map(({ to }) => to);
  return branches[branches.indexOf(id) + (key === 'ArrowDown' ? 1 : -1)];
}
