import { graphlib, layout } from '@dagrejs/dagre';

export type Place = { x: number; y: number };

/** The places of the nodes of a graph, by their ids. */
export type Places = ReadonlyMap<string, Place>;

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 56;

/** The graph that is laid out: from left to right, or from top to bottom. */
export type LayoutRequest = {
  ids: readonly string[];
  edges: readonly (readonly [from: string, to: string])[];
  isTall: boolean;
};

/** Returns a place for each node of a graph. It takes a second of CPU time for 1,000 nodes. */
export function layOut(request: LayoutRequest): Places {
  try {
    return balanced(request);
  } catch (error) {
    // The library calls itself for each step of a path: fewer than a thousand in a row overflow the stack of a thread.
    if (error instanceof RangeError) return inLayers(request);
    throw error;
  }
}

const ACROSS = 70;
const DOWN = 36;
const BESIDE = 24;

function balanced({ ids, edges, isTall }: LayoutRequest): Places {
  const graph = new graphlib.Graph();
  const direction = isTall ? { rankdir: 'TB', ranksep: DOWN } : { rankdir: 'LR', ranksep: ACROSS };
  // A transition that passes a step has room beside it.
  graph.setGraph({ ...direction, nodesep: BESIDE, edgesep: NODE_HEIGHT } as const);
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const [from, to] of edges) graph.setEdge(from, to);
  layout(graph);
  return new Map(
    ids.map((id) => {
      const { x, y } = graph.node(id) as Place;
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}

/** Places nodes in layers by their distance from a beginning of the graph, in the order in which they are reached. */
function inLayers({ ids, edges, isTall }: LayoutRequest): Places {
  const nextOf = new Map(ids.map((id) => [id, [] as string[]]));
  for (const [from, to] of edges) nextOf.get(from)?.push(to);
  const reached = new Set(edges.map(([, to]) => to));
  const layers = new Map<string, number>();
  const sizes: number[] = [];
  const places = new Map<string, Place>();
  // Steps that no beginning leads to, such as those of a loop, begin layers of their own.
  for (const start of [...ids.filter((id) => !reached.has(id)), ...ids]) {
    const waiting = [start];
    for (const id of waiting) {
      if (places.has(id) || !nextOf.has(id)) continue;
      const layer = layers.get(id) ?? 0;
      const beside = sizes[layer] ?? 0;
      sizes[layer] = beside + 1;
      places.set(
        id,
        isTall
          ? { x: beside * (NODE_WIDTH + BESIDE), y: layer * (NODE_HEIGHT + DOWN) }
          : { x: layer * (NODE_WIDTH + ACROSS), y: beside * (NODE_HEIGHT + BESIDE) },
      );
      for (const next of nextOf.get(id) ?? []) {
        if (!layers.has(next)) layers.set(next, layer + 1);
        waiting.push(next);
      }
    }
  }
  return places;
}
