import { NODE_HEIGHT, NODE_WIDTH, type Place, type Places } from './layout.ts';

/** Space around a graph, in pixels, and the size below which its texts cannot be read. */
export const MARGIN = 24;
export const LEAST_ZOOM = 0.65;
/** The size of a graph from left to right that does not fit: there is room above and below its steps. */
const WIDE_ZOOM = 0.8;

type Extent = { left: number; top: number; width: number; height: number };

/** Returns the middle of a step. @param place its upper left corner */
export const centreOf = ({ x, y }: Place): Place => ({ x: x + NODE_WIDTH / 2, y: y + NODE_HEIGHT / 2 });

/** Returns what a picture of these places takes up, in pixels. */
export function extentOf(places: Places): Extent {
  const all = [...places.values()];
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  return {
    left,
    top,
    width: Math.max(...all.map(({ x }) => x)) - left + NODE_WIDTH,
    height: Math.max(...all.map(({ y }) => y)) - top + NODE_HEIGHT,
  };
}

/**
 * Returns how a graph from left to right opens whose texts could not be read if it were shown as a whole.
 *
 * @param extent what the graph takes up
 * @param frame the size of its part of the page, in pixels
 * @param at the step that is to be in sight; absent: the upper left corner of the graph
 * @returns the point in the middle of the frame, and the zoom; undefined: the graph can be shown as a whole
 */
export function openingView(
  extent: Extent,
  frame: { width: number; height: number },
  at: Place = { x: extent.left, y: extent.top },
): (Place & { zoom: number }) | undefined {
  const whole = Math.min(
    (frame.width - 2 * MARGIN) / extent.width,
    (frame.height - 2 * MARGIN) / extent.height,
  );
  if (whole >= LEAST_ZOOM) return undefined;
  const { x, y } = centreOf(at);
  // No empty space before its first step or after its last one.
  const half = frame.width / 2 / WIDE_ZOOM - MARGIN;
  const [first, last] = [extent.left + half, extent.left + extent.width - half];
  return { x: first > last ? x : Math.min(Math.max(x, first), last), y, zoom: WIDE_ZOOM };
}
