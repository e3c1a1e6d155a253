import { setTimeout as sleep } from 'node:timers/promises';

/** Events of a stream that resumes after each loss, as `EventSource` does. */
export type Followed = {
  /** Ids of the jobs that an event reported as complete, with the number of these events. */
  completed: Map<string, number>;
  /** What no reader may see: ids that do not grow, gaps. */
  faults: string[];
  connections: number;
  received: number;
};

/** Follows `jobCompleted` until `ending` aborts; `followed` is up to date at any time. */
export function followEvents(url: string, token: string, ending: AbortSignal) {
  const followed: Followed = { completed: new Map(), faults: [], connections: 0, received: 0 };
  let last: string | undefined;
  const block = (text: string) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
    const id = field('id');
    const data = field('data');
    if (field('event') === 'gap') followed.faults.push(`a gap: ${data}`);
    if (data !== undefined && field('event') === undefined) {
      if (id !== undefined && last !== undefined && Number(id) <= Number(last))
        followed.faults.push(`${id} after ${last}`);
      followed.received += 1;
      const { payload } = JSON.parse(data) as { payload: { _id?: string; jobId?: string } };
      const job = payload._id ?? payload.jobId ?? '';
      followed.completed.set(job, (followed.completed.get(job) ?? 0) + 1);
    }
    if (id !== undefined) last = id;
  };
  const read = async () => {
    const answer = await fetch(`${url}/events?topics=jobCompleted`, {
      headers: { Authorization: `Bearer ${token}`, ...(last !== undefined && { 'Last-Event-ID': last }) },
      signal: ending,
    });
    if (!answer.ok || !answer.body) return;
    followed.connections += 1;
    let rest = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const one of blocks) block(one);
    }
  };
  const follow = async () => {
    while (!ending.aborted) {
      await read().catch(() => undefined);
      await sleep(200);
    }
  };
  return { followed, ended: follow() };
}
