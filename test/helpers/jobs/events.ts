import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS } from '#server/domains/workflow/triggers/events.ts';
import type { Role } from '#server/kernel/roles.ts';
import { compileSchema } from '#server/kernel/validation/json-schema.ts';
import { until } from '../processes/processes.ts';

/** An event as the wire has it. */
export type Event = {
  id: string;
  source: string;
  topic: string;
  time: string;
  payload: Record<string, unknown>;
};

type Options = { token: string; query?: string; lastEventId?: string };

/** A reader of `GET /events`: the events so far, and how to cut its connection. */
export async function listenTo(url: string, { token, query = '', lastEventId }: Options) {
  const blocks: { event: string; id: string; data: string }[] = [];
  let comments = 0;
  let lastId = lastEventId ?? '';
  const state = { ended: false };
  const sent = request(`${url}/events${query}`, {
    headers: {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
    agent: false,
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end();
  });
  sent.on('error', () => undefined);
  answer.on('error', () => undefined);
  answer.on('close', () => {
    state.ended = true;
  });
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (part: string) => {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = { event: 'message', id: '', data: '' };
      for (const line of text.slice(0, end).split('\n')) {
        if (line.startsWith(':')) comments += 1;
        else if (line.startsWith('event: ')) block.event = line.slice(7);
        else if (line.startsWith('id: ')) {
          block.id = line.slice(4);
          lastId = block.id;
        } else if (line.startsWith('data: ')) block.data += line.slice(6);
      }
      text = text.slice(end + 2);
      if (block.data) blocks.push(block);
    }
  });
  const events = () =>
    blocks.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data) as Event);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: () => text,
    blocks,
    events,
    comments: () => comments,
    lastId: () => lastId,
    ended: () => state.ended,
    cut: () => sent.destroy(),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    /** Waits for so many events that meet a condition. */
    reported: (n: number, which: (event: Event) => boolean = () => true) =>
      until(`${n} events`, () => {
        const found = events().filter(which);
        return found.length >= n ? found : undefined;
      }),
    /** Waits for the stream to begin: nothing that happens from now on is missed. */
    begun: () => until('the stream begins', () => lastId !== '' || undefined),
  };
}

type Service = { url: string; callerWith: (role: Role) => Promise<{ token: string }> };

/**
 * Reads what was published about a run until its end, and checks each payload against the definition of its topic.
 *
 * @param subject id of the run
 * @param deaf roles that must receive none of it
 */
export async function eventsOfRun(
  service: Service,
  subject: string,
  deaf: readonly Role[],
): Promise<Event[]> {
  const open = async (role: Role) => {
    const { token } = await service.callerWith(role);
    return listenTo(service.url, { token, query: `?subjects=${subject}`, lastEventId: '0' });
  };
  const others = await Promise.all(deaf.map(open));
  const reader = await open('admin');
  await reader.reported(1, ({ topic }) => topic.endsWith('Finished'));
  await sleep(300);
  for (const other of others) {
    if (other.events().length > 0) throw new Error(`${other.text()} reached a role that may not read it`);
    other.cut();
  }
  reader.cut();
  const events = reader.events();
  for (const { source, topic, payload } of events) {
    const event = EVENTS.find((one) => one.source === source && one.topic === topic);
    const issues = compileSchema(event?.definition ?? false)(payload);
    if (issues.length > 0) throw new Error(`${topic}: ${JSON.stringify({ payload, issues })}`);
  }
  return events;
}
