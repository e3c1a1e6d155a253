import type { Workflow } from '#db/schemas/workflow/workflow.ts';

/**
 * The rules of transitions (contract/engines#transitions), as plainly and slowly as they are described: after each
 * change every task is looked at again, and every question about the graph is answered by following all paths. It knows tasks
 * that somebody finishes, and loops over as many elements as `data_array` holds.
 */
export function openSlow({ tasks, transitions }: Pick<Workflow, 'tasks' | 'transitions'>) {
  type Known = {
    is: 'none' | 'running' | 'looping' | 'done' | 'never' | 'stuck';
    finish?: string;
    at: number;
    left: boolean;
  };
  const ids = Object.keys(tasks);
  const ways = Object.entries(transitions).flatMap(([from, all]) =>
    Object.entries(all).map(([to, { state, type }]) => ({ from, to, state, type })),
  );
  const onward = ways.filter(({ type }) => type !== 'revert');
  const known = new Map<string, Known>(ids.map((id) => [id, { is: 'none', at: 0, left: false }]));
  const of = (id: string): Known => known.get(id) ?? { is: 'never', at: 0, left: false };
  const reach = (id: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(id)) return seen;
    seen.add(id);
    for (const { from, to } of onward) if (from === id) reach(to, seen);
    return seen;
  };
  const isLoop = (id: string) => ways.some(({ from, state }) => from === id && state === 'loop');
  const bodyOf = (id: string) => {
    const inside = new Set(
      onward.filter((way) => way.from === id && way.state === 'loop').flatMap(({ to }) => [...reach(to)]),
    );
    for (const { from, to, state } of onward) {
      if (from === id && state !== 'loop') for (const one of reach(to)) inside.delete(one);
    }
    inside.delete('workflow_end');
    return inside;
  };
  const around = (id: string) => ids.filter((one) => isLoop(one) && bodyOf(one).has(id));
  const elements = (id: string) =>
    (tasks[id]?.variables?.incoming?.data_array as unknown[] | undefined)?.length ?? 0;

  const verdict = ({ from, to, state }: (typeof ways)[number]): boolean | undefined => {
    const origin = of(from);
    if (origin.is === 'never') return false;
    if (state === 'loop')
      return origin.is === 'looping' || (origin.is === 'done' && elements(from) > 0)
        ? true
        : origin.is === 'done'
          ? false
          : undefined;
    if (origin.is !== 'done') return undefined;
    if (around(from).some((loop) => !bodyOf(loop).has(to) && !['done', 'never'].includes(of(loop).is)))
      return undefined;
    return !origin.left && origin.finish === state;
  };
  const clear = (id: string) => known.set(id, { is: 'none', at: 0, left: false });

  const end = (id: string, finish: string) => {
    const one = of(id);
    one.finish = finish;
    const mine = ways.filter(({ from }) => from === id);
    const back = mine.find(({ state, type }) => state === finish && type === 'revert');
    if (back) {
      one.is = 'done';
      const again = reach(back.to);
      for (const loop of around(back.to)) {
        if (bodyOf(loop).has(id)) continue;
        for (const { from, to, state } of onward)
          if (from === loop && state !== 'loop') for (const later of reach(to)) again.add(later);
        of(loop).is = 'looping';
        of(loop).left = false;
      }
      for (const later of again) clear(later);
      start(back.to);
      return;
    }
    const follows = mine.some(({ state, type }) => type !== 'revert' && state !== 'loop' && state === finish);
    const mayEnd =
      around(id).some((loop) => of(loop).is === 'looping') &&
      (finish === 'success' || (finish === 'failure' && !mine.some(({ type }) => type !== 'revert')));
    one.is = follows || mayEnd || id === 'workflow_end' ? 'done' : 'stuck';
  };
  const start = (id: string) => {
    if (id === 'workflow_start' || id === 'workflow_end') end(id, 'success');
    else if (tasks[id]?.name !== 'forEach') of(id).is = 'running';
    else if (
      elements(id) === 0 ||
      ![...bodyOf(id)].some((one) =>
        ways.some(({ from, to, state }) => from === id && to === one && state === 'loop'),
      )
    )
      end(id, 'success');
    else of(id).is = 'looping';
  };
  const lookAt = (id: string): boolean => {
    const one = of(id);
    if (one.is === 'looping') {
      const body = [...bodyOf(id)];
      if (body.some((inside) => !['done', 'never'].includes(of(inside).is))) return false;
      const leaves = onward.some(
        ({ from, to, state }) =>
          body.includes(from) && !body.includes(to) && of(from).is === 'done' && of(from).finish === state,
      );
      if (leaves) {
        one.is = 'done';
        one.finish = 'success';
        one.left = true;
      } else if (one.at + 1 < elements(id)) {
        one.at += 1;
        for (const inside of body) clear(inside);
      } else end(id, 'success');
      return true;
    }
    if (one.is !== 'none') return false;
    const verdicts = onward.filter(({ to }) => to === id).map(verdict);
    if (verdicts.length === 0 || verdicts.includes(undefined)) return false;
    if (verdicts.includes(true)) start(id);
    else one.is = 'never';
    return true;
  };
  const goOn = () => {
    while (of('workflow_end').is !== 'done' && ids.some(lookAt)) {}
  };
  return {
    begin: () => {
      for (const id of ids) if (!reach('workflow_start').has(id)) of(id).is = 'never';
      start('workflow_start');
      goOn();
    },
    finish: (id: string, state: string) => {
      end(id, state);
      goOn();
    },
    running: () => ids.filter((id) => of(id).is === 'running').sort(),
    never: () => ids.filter((id) => of(id).is === 'never').sort(),
    status: () =>
      of('workflow_end').is === 'done'
        ? 'complete'
        : ids.some((id) => of(id).is === 'stuck')
          ? 'error'
          : 'running',
  };
}
