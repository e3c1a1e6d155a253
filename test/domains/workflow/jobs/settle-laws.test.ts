import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Transition } from '#db/schemas/workflow/workflow.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { openSlow } from '../../../helpers/processes/slow-interpreter.ts';
import { effect, openJob } from '../../../helpers/settling.ts';
import { task } from '../../../helpers/workflows.ts';

const STATES = ['success', 'failure', 'error'] as const;
type Ways = Record<string, Record<string, Transition>>;

/** A workflow of up to eight tasks: forks, joins, loops in loops, unused transitions and revert transitions. */
const graphs = fc
  .record({
    kinds: fc.array(fc.constantFrom('effect', 'effect', 'effect', 'loop'), { minLength: 1, maxLength: 8 }),
    ways: fc.array(fc.tuple(fc.nat(8), fc.nat(8), fc.constantFrom(...STATES, 'success', 'loop')), {
      maxLength: 24,
    }),
    reverts: fc.array(fc.tuple(fc.nat(7), fc.nat(7), fc.constantFrom(...STATES)), { maxLength: 3 }),
    sizes: fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }),
    ends: fc.array(fc.tuple(fc.nat(7), fc.constantFrom(...STATES)), { maxLength: 5 }),
  })
  .map(({ kinds, ways, reverts, sizes, ends }) => {
    const ids = kinds.map((_, at) => at.toString(16));
    const tasks: Record<string, Task> = { workflow_start: { name: 'workflow_start' } };
    for (const [at, kind] of kinds.entries()) {
      const elements = Array.from({ length: sizes[at] ?? 0 }, (_, one) => one);
      tasks[String(ids[at])] = kind === 'loop' ? task('forEach', { data_array: elements }) : effect();
    }
    tasks.workflow_end = { name: 'workflow_end' };
    const transitions: Ways = { workflow_start: { '0': { type: 'standard', state: 'success' } } };
    const draw = (from: string, to: string, way: Transition) => {
      transitions[from] ??= {};
      const mine = transitions[from];
      if (mine) mine[to] ??= way;
    };
    for (const [from, to, state] of ways) {
      const [a, b] = [ids[from], ids[to]];
      if (a === undefined || b === undefined || to <= from) continue;
      if (state === 'loop' && kinds[from] !== 'loop') continue;
      draw(a, b, { type: 'standard', state });
    }
    for (const [from, to, state] of reverts) {
      const [a, b] = [ids[from], ids[to]];
      if (a === undefined || b === undefined || to > from || kinds[from] === 'loop') continue;
      if (Object.values(transitions[a] ?? {}).some((way) => way.type === 'revert' && way.state === state))
        continue;
      draw(a, b, { type: 'revert', state });
    }
    for (const [from, state] of ends) {
      const id = ids[from];
      if (id !== undefined) draw(id, 'workflow_end', { type: 'standard', state });
    }
    return { tasks, transitions };
  });

const turns = fc.array(
  fc.tuple(fc.nat(20), fc.constantFrom('success' as const, 'success' as const, ...STATES)),
  {
    minLength: 40,
    maxLength: 40,
  },
);

test('on random graphs, for any order of finishing tasks, the interpreter does the same as the slow reference rules', () => {
  const ended = { complete: 0, error: 0 };
  fc.assert(
    fc.property(graphs, turns, (graph, order) => {
      const job = openJob(graph);
      const slow = openSlow(graph);
      job.send({ type: 'start' });
      slow.begin();
      const same = () => {
        const { status } = job.job();
        expect({ running: status === 'complete' ? [] : job.running(), status }).toEqual({
          running: status === 'complete' ? [] : slow.running(),
          status: slow.status(),
        });
        // It never stops without a reason.
        if (status === 'running') expect(job.running()).not.toEqual([]);
      };
      same();
      for (const [pick, finish] of order) {
        const running = job.running();
        const id = running[pick % Math.max(1, running.length)];
        if (id === undefined || job.job().status === 'complete') break;
        job.finish(id, finish);
        expect(job.again().changed).toBe(false);
        slow.finish(id, finish);
        same();
      }
      const { status } = job.job();
      if (status === 'complete' || status === 'error') ended[status] += 1;
    }),
    lawRuns(2000, 250),
  );
  // The graphs are not all of one kind.
  expect(Math.min(...Object.values(ended))).toBeGreaterThan(20);
});

test('an event that was applied already changes nothing, however often it arrives', () => {
  fc.assert(
    fc.property(graphs, turns, (graph, order) => {
      const job = openJob(graph);
      job.send({ type: 'start' });
      const past: ReturnType<typeof job.attempt>[] = [];
      for (const [pick, finish] of order.slice(0, 12)) {
        const running = job.running();
        const id = running[pick % Math.max(1, running.length)];
        if (id === undefined) break;
        past.push(job.attempt(id));
        job.finish(id, finish);
        for (const attempt of past) {
          const late = {
            type: 'finish' as const,
            ...attempt,
            outcome: { finish: 'success' as const, outgoing: {} },
          };
          expect(job.send(late).changed).toBe(false);
        }
        expect(job.send({ type: 'start' }).changed).toBe(false);
      }
    }),
    lawRuns(500),
  );
});
