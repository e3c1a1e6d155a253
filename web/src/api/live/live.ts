import { reportSignedOut } from '../signed-out.ts';
import { allFollowed, countShown, followedHere, noteTab } from './followed-jobs.ts';
import { inOneTab, OWN_TAB } from './tab-lock.ts';

/**
 * One event stream per browser. One tab reads `GET /events` and passes every event on to the others,
 * so that eight open tabs cost one of the six connections that a browser opens to a host. When it closes, another one continues after the last event that it has seen. The stream follows the jobs that any tab shows:
 * when they change, it is opened again with the new ones.
 */

export type LiveEvent = {
  id: string;
  source: string;
  topic: string;
  /** ISO 8601. */
  time: string;
  payload: Record<string, unknown>;
};

export type Connection =
  | { state: 'live' }
  | { state: 'reconnecting' }
  /** The service answers, but something between lets no events through: the page is read again by a timer. */
  | { state: 'polled' }
  /** `since` is the time of the last sign of life. */
  | { state: 'stale'; since: Date };

type Message =
  /** `id` is where a stream resumes; an event that is not stored has none of its own. */
  | { kind: 'event'; event: LiveEvent; id: string | undefined }
  | { kind: 'gap' }
  | { kind: 'connection'; connection: Connection }
  /** A stream has begun that follows these jobs. */
  | { kind: 'following'; jobs: readonly string[] }
  /** A tab shows these jobs. */
  | { kind: 'shows'; tab: string; jobs: readonly string[] }
  /** A tab has opened, or has begun to read the stream. */
  | { kind: 'hello' };

/** The server sends a comment every 15 seconds; a stream silent for longer is dead. */
const SILENCE_MS = 20_000;
/** How long a cut stream may take to return before the page is called stale. */
const STALE_AFTER_MS = 1500;
const RETRY_MS = 1000;
/** How often a page is read again that gets no events, and after how many streams that never began, in milliseconds and a number. */
const POLL_MS = 15_000;
const FAILURES = 3;
/** How long the stream waits before it is opened again: for further jobs, or without one that is no longer shown, in milliseconds. */
const MORE_MS = 20;
const FEWER_MS = 5000;

/** The topic of events that only those hear who follow a job. */
const PROGRESS = 'jobProgressed';

const eventListeners = new Set<(event: LiveEvent) => void>();
const gapListeners = new Set<() => void>();
const progressListeners = new Set<(event: LiveEvent) => void>();
const followingListeners = new Set<(jobs: readonly string[]) => void>();
const connectionListeners = new Set<() => void>();

let connection: Connection = { state: 'reconnecting' };
let lastSeen = new Date();
let lastEventId: string | undefined;
let isLeader = false;
let stopped: AbortController | undefined;
/** The jobs that the stream follows, and how to open it again. */
let streamJobs: readonly string[] = [];
let reopen: AbortController | undefined;
let reopening: ReturnType<typeof setTimeout> | undefined;
const channel = new BroadcastChannel('switchyard-events');

/** Calls `listener` for every event. @returns removes the listener */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/** Calls `listener` when events were missed, so that everything shown must be read again. @returns removes the listener */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener);
  return () => gapListeners.delete(listener);
}

/**
 * Follows a job: each of its steps arrives as an event.
 *
 * @param progressed called with the events of this job
 * @param began called when a stream has begun that follows it: what was read before may be old
 * @returns stops it
 */
export function followJob(
  job: string,
  progressed: (event: LiveEvent) => void,
  began: () => void,
): () => void {
  const hear = (event: LiveEvent) => {
    if (event.payload._id === job) progressed(event);
  };
  const follow = (jobs: readonly string[]) => {
    if (jobs.includes(job)) began();
  };
  progressListeners.add(hear);
  followingListeners.add(follow);
  const uncount = countShown(job);
  announce(followedHere());
  return () => {
    progressListeners.delete(hear);
    followingListeners.delete(follow);
    uncount();
    announce(followedHere());
  };
}

/** Tells all tabs which jobs this one shows. */
function announce(jobs: readonly string[]): void {
  spread({ kind: 'shows', tab: OWN_TAB, jobs });
}

/** Opens the stream again when the tabs show other jobs than it follows. */
function followShown(): void {
  clearTimeout(reopening);
  const shown = allFollowed();
  const isMore = shown.some((job) => !streamJobs.includes(job));
  if (!isLeader || (!isMore && shown.length === streamJobs.length)) return;
  reopening = setTimeout(() => reopen?.abort(), isMore ? MORE_MS : FEWER_MS);
}

export const connectionStore = {
  subscribe(listener: () => void): () => void {
    connectionListeners.add(listener);
    return () => connectionListeners.delete(listener);
  },
  read: (): Connection => connection,
};

/** Starts to listen, for as long as the user is signed in. @returns stops it */
export function startLive(): () => void {
  stopped?.abort();
  const controller = new AbortController();
  stopped = controller;
  const { signal } = controller;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      if (isLeader) channel.postMessage({ kind: 'connection', connection } satisfies Message);
      if (followedHere().length > 0) announce(followedHere());
    } else receive(data);
  };
  channel.postMessage({ kind: 'hello' } satisfies Message);
  window.addEventListener('pagehide', () => announce([]), { signal });
  inOneTab('switchyard-events', signal, async (turn) => {
    isLeader = true;
    channel.postMessage({ kind: 'hello' } satisfies Message);
    await lead(turn);
    isLeader = false;
  });
  return () => controller.abort();
}

function receive(message: Message): void {
  if (message.kind === 'event') {
    lastEventId = message.id;
    const listeners = message.event.topic === PROGRESS ? progressListeners : eventListeners;
    for (const listener of listeners) listener(message.event);
  } else if (message.kind === 'gap') {
    for (const listener of gapListeners) listener();
  } else if (message.kind === 'following') {
    for (const listener of followingListeners) listener(message.jobs);
  } else if (message.kind === 'shows') {
    noteTab(message.tab, message.jobs);
    followShown();
  } else if (message.kind === 'connection') {
    connection = message.connection;
    for (const listener of connectionListeners) listener();
  }
}

function spread(message: Message): void {
  channel.postMessage(message);
  receive(message);
}

/** Whether an answer is of a type of the service: a proxy or a network may answer everything with a page of its own. */
const isOf = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true;

/** Whether the service answers other requests than those for events. */
const isServed = (): Promise<boolean> =>
  fetch('/health/status', { headers: { 'X-Background': 'true' } }).then(
    (response) => response.ok && isOf(response, 'application/json'),
    () => false,
  );

async function lead(signal: AbortSignal): Promise<void> {
  let failures = 0;
  let polledAt = -POLL_MS;
  while (!signal.aborted) {
    // Shown at once as reconnecting, and as stale when the stream has not come back soon.
    const timer = setTimeout(() => {
      if (connection.state === 'reconnecting')
        spread({ kind: 'connection', connection: { state: 'stale', since: lastSeen } });
    }, STALE_AFTER_MS);
    reopen = new AbortController();
    const seen = lastSeen;
    await readStream(AbortSignal.any([signal, reopen.signal])).catch(() => undefined);
    clearTimeout(timer);
    failures = seen === lastSeen ? failures + 1 : 0;
    if (signal.aborted) return;
    if (reopen.signal.aborted) continue;
    if (connection.state === 'live') {
      spread({ kind: 'connection', connection: { state: 'reconnecting' } });
      const since = lastSeen;
      setTimeout(() => {
        if (connection.state === 'reconnecting')
          spread({ kind: 'connection', connection: { state: 'stale', since } });
      }, STALE_AFTER_MS);
    }
    if (failures >= FAILURES && performance.now() - polledAt >= POLL_MS) {
      polledAt = performance.now();
      if (await isServed()) {
        lastSeen = new Date();
        spread({ kind: 'connection', connection: { state: 'polled' } });
        spread({ kind: 'gap' });
      } else if (connection.state === 'polled')
        spread({ kind: 'connection', connection: { state: 'stale', since: lastSeen } });
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Reads the stream until it ends, fails or falls silent. */
async function readStream(signal: AbortSignal): Promise<void> {
  const silence = new AbortController();
  const jobs = allFollowed();
  streamJobs = jobs;
  const query = new URLSearchParams(jobs.map((job) => ['progress', job]));
  // From the request on: a proxy that waits for the end of an answer passes on not even its beginning.
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const response = await fetch(jobs.length > 0 ? `/events?${query}` : '/events', {
    headers: {
      Accept: 'text/event-stream',
      'X-Background': 'true',
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
    signal: AbortSignal.any([signal, silence.signal]),
  }).finally(() => clearTimeout(timer));
  if (response.status === 401) reportSignedOut();
  if (!response.ok || !response.body || !isOf(response, 'text/event-stream'))
    throw new Error(`The event stream answered ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let begun = false;
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const { done, value } = await reader.read();
      if (done) return;
      lastSeen = new Date();
      if (connection.state !== 'live') spread({ kind: 'connection', connection: { state: 'live' } });
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) takeBlock(block);
      if (!begun && jobs.length > 0) spread({ kind: 'following', jobs });
      begun = true;
    }
  } finally {
    clearTimeout(timer);
  }
}

function takeBlock(block: string): void {
  let isGap = false;
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) lastEventId = line.slice('id: '.length);
    else if (line === 'event: gap') isGap = true;
    else if (line.startsWith('data: ')) data += line.slice('data: '.length);
  }
  if (isGap) spread({ kind: 'gap' });
  else if (data) spread({ kind: 'event', event: JSON.parse(data) as LiveEvent, id: lastEventId });
}
