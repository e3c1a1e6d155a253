'use strict';
/**
 * The process of one instance of an adapter package (docs/adapters.md). The host gives it the instance, then calls:
 *
 *   host → start {id, properties, level, directory, entry, kind, runtime, egress, guarded} · call {n, method, args, absent}
 *          level {level} · ping
 *   here → started · refused {message} · state {state} · reply {n, data | error | failure} · log {level, message} · pong
 *
 * It ends when the host closes the connection.
 */
const { openChannel } = require('./channel.cjs');
const guard = require('./guard.cjs');
const { openLog } = require('./log.cjs');
const standIns = require('./stand-ins.cjs');

const { stringify } = JSON;

/** Largest result in bytes of JSON. */
const MOST = 8 * 1024 * 1024;

const end = process.exit.bind(process, 0);
let adapter;

const channel = openChannel(hear, end);
const { log, console, setLevel } = openLog((message) => channel.send(message));

function hear(message) {
  switch (message.type) {
    case 'start':
      return start(message);
    case 'call':
      return call(message);
    case 'level':
      return setLevel(message.level);
    case 'ping':
      return channel.send({ type: 'pong', rss: process.memoryUsage.rss() });
  }
}

function start({ id, properties, level, directory, entry, kind, runtime, egress, guarded }) {
  setLevel(level);
  try {
    standIns.install({ properties, runtime });
    if (guarded) guard.install(egress);
    globalThis.log = log;
    globalThis.console = console;
    process.on('unhandledRejection', (error) => log.error(`unhandled rejection: ${messageOf(error)}`));
    const exported = require(`${directory}/${entry}`);
    const Adapter = typeof exported === 'function' ? exported : (exported?.[kind] ?? exported?.default);
    if (typeof Adapter !== 'function') throw new Error(`${entry} exports no class ${kind}`);
    adapter = new Adapter(id, properties);
    if (typeof adapter.on !== 'function') throw new Error(`the class ${kind} is no EventEmitter`);
  } catch (error) {
    return channel.send({ type: 'refused', message: messageOf(error).slice(0, 1000) });
  }
  for (const state of ['ONLINE', 'OFFLINE', 'DEGRADED', 'FIXED'])
    adapter.on(state, () => channel.send({ type: 'state', state }));
  channel.send({ type: 'started' });
  // What `connect` throws ends the process, as what a timer throws does: the host starts it again, and later.
  if (typeof adapter.connect === 'function') adapter.connect();
}

function call({ n, method, args, absent }) {
  for (const index of absent) args[index] = undefined;
  let ended = false;
  const done = (data, error) => {
    if (ended) return;
    ended = true;
    reply(n, data, error);
  };
  try {
    if (typeof adapter[method] !== 'function')
      return channel.send({ type: 'reply', n, failure: 'UNKNOWN_METHOD' });
    const returned = adapter[method](...args, done);
    // An async method that answers by its callback returns a promise of nothing.
    if (typeof returned?.then === 'function')
      returned.then(
        (data) => data !== undefined && done(data, null),
        (error) => done(null, error ?? new Error('the method rejected')),
      );
  } catch (error) {
    done(null, error ?? new Error('the method threw'));
  }
}

/** Most replies are objects that the package keeps no reference to: they are written at once. */
function reply(n, data, error) {
  let text;
  try {
    const value = error ? stringify(errorOf(error)) : stringify(data === undefined ? null : data);
    text =
      value === undefined ? undefined : `{"type":"reply","n":${n},"${error ? 'error' : 'data'}":${value}}`;
  } catch {
    // A cycle, a BigInt, or a toJSON that throws.
  }
  if (text === undefined) return channel.send({ type: 'reply', n, failure: 'UNSENDABLE' });
  if (Buffer.byteLength(text) > MOST) return channel.send({ type: 'reply', n, failure: 'OUTPUT_LIMIT' });
  return channel.sendText(text);
}

/** Returns an error as JSON can have it: the fields of an Error are not enumerable. */
const errorOf = (error) =>
  error instanceof Error
    ? { message: messageOf(error), ...(error.code && { code: error.code }), ...error }
    : error;

function messageOf(error) {
  try {
    return String(error?.message ?? error).split('\n')[0];
  } catch {
    return 'an error that cannot be written';
  }
}
