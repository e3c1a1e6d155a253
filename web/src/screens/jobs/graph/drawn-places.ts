import { graphlib, layout } from '@dagrejs/dagre';
import type { Job, JobTask } from '../job-state.tsx';
import type { Edge } from '../task-order.ts';

export type Place = { x: number; y: number };

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 56;

/** Size in pixels below which stored positions are taken for another unit: their tasks would lie on top of each other. */
const SMALLEST_SPAN = 20;

const drawnPlace = ({ nodeLocation, x, y }: JobTask): Place | undefined =>
  nodeLocation?.x !== undefined && nodeLocation.y !== undefined
    ? { x: nodeLocation.x, y: nodeLocation.y }
    : x !== undefined && y !== undefined
      ? { x, y }
      : undefined;

/**
 * Returns the position of each task: where its author placed it; when one has no position, all are laid out anew.
 *
 * @param isTall true: all are laid out from top to bottom, for a window without room for the width that authors use
 */
export function placesOf({ tasks = {} }: Job, edges: readonly Edge[], isTall: boolean): Map<string, Place> {
  const placed = new Map(
    Object.entries(tasks).flatMap(([id, task]) => {
      const place = drawnPlace(task);
      return place ? [[id, place] as const] : [];
    }),
  );
  const ids = Object.keys(tasks);
  if (isTall) return laidOut(ids, edges, { rankdir: 'TB', ranksep: 36 });
  const all = [...placed.values()];
  const span = (values: number[]) => Math.max(...values) - Math.min(...values);
  const isUsable =
    placed.size === ids.length &&
    all.length > 0 &&
    span(all.map(({ x }) => x)) + span(all.map(({ y }) => y)) > SMALLEST_SPAN * Math.min(2, all.length);
  return isUsable ? placed : laidOut(ids, edges, { rankdir: 'LR', ranksep: 70 });
}

/** What a picture of these places takes up, in pixels. */
export function extentOf(places: ReadonlyMap<string, Place>) {
  const all = [...places.values()];
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  return {
    left,
    top,
    width: Math.max(...all.map(({ x }) => x)) - left + NODE_WIDTH,
    height: Math.max(...all.map(({ y }) => y)) - top + NODE_HEIGHT,
  };
}

type Direction = { rankdir: 'LR' | 'TB'; ranksep: number };

function laidOut(ids: readonly string[], edges: readonly Edge[], direction: Direction): Map<string, Place> {
  const graph = new graphlib.Graph();
  // A transition that passes a step has room beside it.
  graph.setGraph({ ...direction, nodesep: 24, edgesep: NODE_HEIGHT });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to, type } of edges) if (type !== 'revert') graph.setEdge(from, to);
  layout(graph);
  return new Map(
    ids.map((id) => {
      const { x, y } = graph.node(id) as Place;
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}
