/**
 * One event stream per browser. The tab that holds the lock reads `GET /events` and passes every event on to the others,
 * so that eight open tabs cost one of the six connections that a browser opens to a host. A tab that closes releases the
 * lock, and another one continues after the last event that it has seen.
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
  /** `since` is the time of the last sign of life. */
  | { state: 'stale'; since: Date };

type Message =
  | { kind: 'event'; event: LiveEvent }
  | { kind: 'gap' }
  | { kind: 'connection'; connection: Connection }
  | { kind: 'hello' };

/** The server sends a comment every 15 seconds; a stream silent for longer is dead. */
const SILENCE_MS = 20_000;
/** How long a cut stream may take to return before the page is called stale. */
const STALE_AFTER_MS = 1500;
const RETRY_MS = 1000;

const eventListeners = new Set<(event: LiveEvent) => void>();
const gapListeners = new Set<() => void>();
const connectionListeners = new Set<() => void>();

let connection: Connection = { state: 'reconnecting' };
let lastSeen = new Date();
let lastEventId: string | undefined;
let isLeader = false;
let stopped: AbortController | undefined;
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
    } else receive(data);
  };
  channel.postMessage({ kind: 'hello' } satisfies Message);
  navigator.locks
    .request('switchyard-events', { signal }, async () => {
      isLeader = true;
      await lead(signal);
      isLeader = false;
    })
    .catch(() => undefined);
  return () => controller.abort();
}

function receive(message: Message): void {
  if (message.kind === 'event') {
    lastEventId = message.event.id;
    for (const listener of eventListeners) listener(message.event);
  } else if (message.kind === 'gap') {
    for (const listener of gapListeners) listener();
  } else if (message.kind === 'connection') {
    connection = message.connection;
    for (const listener of connectionListeners) listener();
  }
}

function spread(message: Message): void {
  channel.postMessage(message);
  receive(message);
}

async function lead(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Shown at once as reconnecting, and as stale when the stream has not come back soon.
    const timer = setTimeout(() => {
      if (connection.state !== 'live')
        spread({ kind: 'connection', connection: { state: 'stale', since: lastSeen } });
    }, STALE_AFTER_MS);
    await readStream(signal).catch(() => undefined);
    clearTimeout(timer);
    if (signal.aborted) return;
    if (connection.state === 'live') {
      spread({ kind: 'connection', connection: { state: 'reconnecting' } });
      const since = lastSeen;
      setTimeout(() => {
        if (connection.state === 'reconnecting')
          spread({ kind: 'connection', connection: { state: 'stale', since } });
      }, STALE_AFTER_MS);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Reads the stream until it ends, fails or falls silent. */
async function readStream(signal: AbortSignal): Promise<void> {
  const silence = new AbortController();
  const response = await fetch('/events', {
    headers: {
      Accept: 'text/event-stream',
      'X-Background': 'true',
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
    signal: AbortSignal.any([signal, silence.signal]),
  });
  if (!response.ok || !response.body) throw new Error(`The event stream answered ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
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
  else if (data) spread({ kind: 'event', event: JSON.parse(data) as LiveEvent });
}
