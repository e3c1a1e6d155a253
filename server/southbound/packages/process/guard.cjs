'use strict';
/**
 * Closes what the code of a package must not reach, before it is loaded: every TCP connection goes to the host's socket,
 * which decides; name lookups, datagrams, listening, other local sockets, signals, native code and modules that do not
 * obey Node's permission model are closed. It works on the prototypes of Node's handles too, so that a handle that was
 * obtained in some other way is of no use. In one process this remains a rule and no wall: ADAPTER_NETNS is the wall.
 */
const dgram = require('node:dgram');
const dns = require('node:dns');
const Module = require('node:module');
const net = require('node:net');
const tls = require('node:tls');

/** libuv's EACCES, which functions of handles return in place of throwing. */
const EACCES = -13;

const denied = (what) =>
  Object.assign(new Error(`${what} is not available to adapter packages`), { code: 'ERR_ACCESS_DENIED' });

const thrower = (what) =>
  function closed() {
    throw denied(what);
  };

const fix = (target, name, value) =>
  Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: true });

/** Replaces functions and classes of an object, its own where no names are given. */
function close(target, what, names = Object.getOwnPropertyNames(target)) {
  for (const name of names) {
    const property = Object.getOwnPropertyDescriptor(target, name);
    if (!property || (typeof property.value !== 'function' && !property.get) || !property.configurable)
      continue;
    fix(target, name, thrower(`${what}.${name}`));
  }
}

/** Makes functions of a native handle return an error. */
function disarm(prototype, names) {
  for (const name of names) if (typeof prototype[name] === 'function') fix(prototype, name, () => EACCES);
}

/** Modules that are closed as a whole, and those of which some functions are. */
const CLOSED = [
  'child_process',
  'cluster',
  'inspector',
  'inspector/promises',
  'wasi',
  'sqlite',
  'trace_events',
  'repl',
];
const PARTS = {
  worker_threads: ['Worker'],
  v8: [
    'setFlagsFromString',
    'writeHeapSnapshot',
    'setHeapSnapshotNearHeapLimit',
    'takeCoverage',
    'stopCoverage',
  ],
  module: ['register', 'registerHooks', 'enableCompileCache'],
  crypto: ['setEngine'],
};
const OF_PROCESS = [
  ...['binding', '_linkedBinding', 'dlopen', 'kill', '_kill', '_debugProcess', '_debugEnd', 'abort'],
  ...['setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups', 'execve'],
  ...['_getActiveHandles', '_getActiveRequests', '_startProfilerIdleNotifier', 'openStdin', 'loadEnvFile'],
];

/** @param {{ path: string, token: string }} egress the host's socket, and what it wants to hear first */
exports.install = (egress) => {
  closeHandles(egress.path);
  closeNames();
  redirect(egress);
  for (const name of CLOSED) if (Module.isBuiltin(`node:${name}`)) close(load(name), name);
  for (const [name, parts] of Object.entries(PARTS)) close(load(name), name, parts);
  close(dgram, 'dgram');
  close(process, 'process', OF_PROCESS);
  fix(process, 'report', undefined);
  for (const name of ['stdout', 'stderr', 'stdin']) fix(process, name, nothing());
  Module.syncBuiltinESMExports();
};

/** Loads a module of Node. One that this version or a flag does not have is closed already. */
function load(name) {
  try {
    return require(`node:${name}`);
  } catch {
    return {};
  }
}

/** A stream that drops what is written and has nothing to read: the output of the process belongs to Node's last words. */
function nothing() {
  const { Duplex } = require('node:stream');
  return new Duplex({
    read() {
      this.push(null);
    },
    write: (_chunk, _encoding, done) => done(),
  });
}

function closeHandles(path) {
  // The handle is made at once, the connection only later: it never begins.
  const tcp = new net.Socket();
  tcp.on('error', () => undefined);
  tcp.connect(9, '127.0.0.1');
  disarm(Object.getPrototypeOf(tcp._handle), ['connect', 'connect6', 'bind', 'bind6', 'listen', 'open']);
  tcp.destroy();

  const local = new net.Socket();
  local.on('error', () => undefined);
  local.connect({ path });
  const pipe = Object.getPrototypeOf(local._handle);
  for (const name of ['connect', 'connect2']) {
    const connect = pipe[name];
    if (typeof connect !== 'function') continue;
    fix(pipe, name, function (request, address, ...rest) {
      return address === path ? connect.call(this, request, address, ...rest) : EACCES;
    });
  }
  disarm(pipe, ['bind', 'listen', 'open', 'fchmod']);
  local.destroy();

  const datagrams = dgram.createSocket('udp4');
  const [state] = Object.getOwnPropertySymbols(datagrams)
    .map((symbol) => datagrams[symbol])
    .filter((value) => value?.handle);
  const all = ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6', 'open', 'recvStart', 'addMembership'];
  disarm(Object.getPrototypeOf(state.handle), all);
  datagrams.close();
}

/** Names are the host's to look up. */
function closeNames() {
  const resolver = new dns.Resolver();
  const handle = Object.getPrototypeOf(resolver._handle);
  disarm(
    handle,
    Object.getOwnPropertyNames(handle).filter((name) => /^(query|getHostByAddr)/.test(name)),
  );
  const { promises } = dns;
  for (const of of [dns, promises]) {
    for (const [name, value] of Object.entries(of)) {
      if (typeof value !== 'function' || /^[gs]etDefault|^getServers/.test(name)) continue;
      fix(of, name, of === promises ? rejecter(`dns.${name}`) : failer(`dns.${name}`));
    }
  }
}

const rejecter = (what) =>
  async function closed() {
    throw denied(what);
  };

/** Libraries expect the error in their callback. */
const failer = (what) =>
  function closed(...args) {
    const callback = args.at(-1);
    if (typeof callback !== 'function') throw denied(what);
    process.nextTick(callback, denied(what));
    return {};
  };

/** Sends every connection to the host's socket, with one line about where it shall go. */
function redirect({ path, token }) {
  const { stringify } = JSON;
  const connect = net.Socket.prototype.connect;
  const connectTls = tls.connect;

  fix(net.Socket.prototype, 'connect', function (...args) {
    const { options, callback } = read(args);
    const port = Number(options.port);
    const fault =
      (options.path ?? null) !== null || this instanceof tls.TLSSocket || !(port > 0 && port < 65_536);
    if (typeof callback === 'function') this.once('connect', callback);
    connect.call(this, { path });
    if (fault) return this.destroy(denied('this connection'));
    const host = String(options.host ?? 'localhost');
    this._host = host;
    this.write(`${stringify({ token, host, port })}\n`);
    return this;
  });
  fix(net.Server.prototype, 'listen', thrower('net.Server.listen'));

  fix(tls, 'connect', (...args) => {
    const { options, callback } = read(args);
    if (options.socket) return connectTls(options, callback);
    const socket = new net.Socket();
    const secure = connectTls({ ...options, host: options.host ?? 'localhost', socket }, callback);
    socket.on('error', (error) => secure.destroy(error));
    if (options.timeout) secure.setTimeout(options.timeout);
    socket.connect({ host: options.host, port: options.port, path: options.path });
    return secure;
  });
}

/** Reads the forms of arguments of net.connect and tls.connect; Node's own callers send a list of options and callback. */
function read(args) {
  const [first, ...rest] = Array.isArray(args[0]) ? args[0] : args;
  const callback = rest.find((one) => typeof one === 'function');
  const further = rest.find((one) => typeof one === 'object' && one !== null) ?? {};
  if (typeof first === 'object' && first !== null) return { options: { ...first, ...further }, callback };
  if (typeof first === 'string' && Number.isNaN(Number(first)))
    return { options: { ...further, path: first }, callback };
  const host = rest.find((one) => typeof one === 'string');
  return { options: { ...further, port: first, ...(host !== undefined && { host }) }, callback };
}
