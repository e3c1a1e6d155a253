import { expect, test } from 'vitest';
import { layOut } from '../../../web/src/ui/graph-layout/layout.ts';
import { extentOf, openingView } from '../../../web/src/ui/graph-layout/opening.ts';

const STEPS = 5000;
const ids = Array.from({ length: STEPS }, (_, at) => `step ${at}`);
const chain = ids.slice(1).map((id, at) => [ids[at] ?? '', id] as const);

test.each([false, true])(
  'steps that follow each other in a row of 5,000 are laid out in their order (tall: %s)',
  (isTall) => {
    const places = layOut({ ids, edges: [...chain, ['step 40', 'step 7']], isTall });
    const along = ids.map((id) => places.get(id)?.[isTall ? 'y' : 'x'] ?? -1);
    expect(along).toEqual(along.toSorted((a, b) => a - b));
    expect(new Set(along).size).toBe(STEPS);
  },
);

test('branches and loops of such a graph lie beside each other', () => {
  const others = ['left', 'right', 'loop', 'back'];
  const edges = [
    ...chain,
    ['step 0', 'left'],
    ['step 0', 'right'],
    ['loop', 'back'],
    ['back', 'loop'],
  ] as const;
  const places = layOut({ ids: [...ids, ...others], edges, isTall: false });
  const different = new Set([...places.values()].map(({ x, y }) => `${x} ${y}`));
  expect(different.size).toBe(STEPS + others.length);
  expect(places.get('left')?.x).toBe(places.get('step 1')?.x);
});

test('a graph that is too wide to be read as a whole opens at a step, without empty space before its first one', () => {
  const line = new Map(Array.from({ length: 20 }, (_, at) => [`step ${at}`, { x: at * 250, y: 0 }] as const));
  const frame = { width: 900, height: 400 };
  const opened = openingView(extentOf(line), frame, line.get('step 0'));
  expect(opened).toMatchObject({ y: 28, zoom: 0.8 });
  const left = (opened?.x ?? 0) - frame.width / 2 / 0.8;
  expect(left).toBe(-24);
  expect(openingView(extentOf(line), frame, line.get('step 10'))?.x).toBe(10 * 250 + 95);
  const short = new Map([...line].slice(0, 4));
  expect(openingView(extentOf(short), frame, line.get('step 0'))).toBeUndefined();
});
