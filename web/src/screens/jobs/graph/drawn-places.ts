import type { Place, Places } from '~/ui/graph-layout/layout.ts';
import type { Job, JobTask } from '../job-state.tsx';

/** Size in pixels below which stored positions are taken for another unit: their tasks would lie on top of each other. */
const SMALLEST_SPAN = 20;

const drawnPlace = ({ nodeLocation, x, y }: JobTask): Place | undefined =>
  nodeLocation?.x !== undefined && nodeLocation.y !== undefined
    ? { x: nodeLocation.x, y: nodeLocation.y }
    : x !== undefined && y !== undefined
      ? { x, y }
      : undefined;

/** Returns where the author of a workflow placed its tasks; undefined when one has no position: all are laid out then. */
export function drawnPlaces({ tasks = {} }: Job): Places | undefined {
  const placed = new Map(
    Object.entries(tasks).flatMap(([id, task]) => {
      const place = drawnPlace(task);
      return place ? [[id, place] as const] : [];
    }),
  );
  const all = [...placed.values()];
  const span = (values: number[]) => Math.max(...values) - Math.min(...values);
  const isUsable =
    all.length === Object.keys(tasks).length &&
    all.length > 0 &&
    span(all.map(({ x }) => x)) + span(all.map(({ y }) => y)) > SMALLEST_SPAN * Math.min(2, all.length);
  return isUsable ? placed : undefined;
}
