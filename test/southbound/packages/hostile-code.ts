/**
 * Packages that try what a package must not do. Each calls back with `{ got }` when it had success, and with an error
 * otherwise; `at` is what the test offers it as a target.
 */
const attack = (body: string, helper = '') => `
const { EventEmitter } = require('node:events');
const fs = require('node:fs');
${helper}
module.exports = class Hostile extends EventEmitter {
  constructor(id, properties) { super(); this.properties = properties; }
  connect() { this.emit('ONLINE', {}); }
  attack(at, callback) {
    const got = (value) => callback({ got: value === undefined ? true : value }, null);
    const failed = (error) => callback(null, { message: String(error && error.message) });
    try { ${body} } catch (error) { failed(error); }
  }
};`;

/** Tries everything in a list; success is the first that does not throw. */
const firstOf = (...tries: string[]) => `
  const found = [];
  for (const one of [${tries.map((code) => `() => ${code}`).join(', ')}]) {
    try { const value = one(); if (value !== undefined) found.push(String(value).slice(0, 80)); } catch {}
  }
  if (found.length > 0) got(found); else failed(new Error('nothing worked'));`;

/** Succeeds with the first event that is no failure; sockets fail by an event. */
const SOCKETS = `
const watch = (socket, got, failed) => {
  socket.on('error', failed);
  socket.on('close', () => failed(new Error('closed')));
  socket.on('data', (data) => got(String(data)));
};`;

export const HOSTILE: Readonly<Record<string, string>> = {
  'reads files of the machine': attack(
    firstOf(
      `fs.readFileSync('/etc/passwd')`,
      `fs.readdirSync('/')`,
      `fs.readFileSync(Buffer.from('/etc/passwd'))`,
      `fs.readFileSync(__dirname + '/../../../../../../../../etc/passwd')`,
      `fs.readlinkSync('/proc/self/exe')`,
      `require('/etc/passwd')`,
    ),
  ),
  'writes files': attack(
    firstOf(
      `fs.writeFileSync(__dirname + '/written', 'x') ?? 'own folder'`,
      `fs.writeFileSync(at.folder + '/written', 'x') ?? 'elsewhere'`,
      `fs.symlinkSync('/etc', __dirname + '/link') ?? 'link'`,
      `require('node:v8').writeHeapSnapshot()`,
      `process.report.writeReport()`,
    ),
  ),
  'starts programs': attack(
    firstOf(
      `require('node:child_process').execSync('id')`,
      `require('node:child_process').spawnSync('id').stdout`,
      `require('node:cluster').fork().process.pid`,
      `process.execve('/usr/bin/id', ['id']) ?? 'execve'`,
    ),
  ),
  'ends its process': attack('process.exit(0);'),
  'computes without end': attack('for (;;);'),
  'allocates without end': attack(`
    const kept = [];
    const more = () => { kept.push(Buffer.alloc(64 * 1024 * 1024, 1)); setTimeout(more, 5); };
    more();`),
  'floods the log': attack(`
    for (let line = 0; line < 200000; line += 1) { log.error('flood '.repeat(2000)); console.log('flood'); }
    try { for (let part = 0; part < 64; part += 1) fs.writeSync(2, 'x'.repeat(65536)); } catch {}
    failed(new Error('written'));`),
  'connects elsewhere': attack(
    `const socket = require('node:net').connect(at.port, 'localhost'); watch(socket, got, failed); socket.write('x');`,
    SOCKETS,
  ),
  'connects elsewhere by fetch': attack(
    `fetch('http://localhost:' + at.port + '/').then((answer) => got(answer.status), failed);`,
  ),
  'connects to a metadata service': attack(
    `const socket = require('node:net').connect(80, '169.254.169.254'); watch(socket, got, failed); socket.write('x');`,
    SOCKETS,
  ),
  'makes a socket of its own': attack(
    `
    const net = require('node:net');
    const hooks = require('node:async_hooks');
    const requests = [];
    const hook = hooks.createHook({ init(_, type, __, resource) { if (/CONNECTWRAP/.test(type)) requests.push(resource); } }).enable();
    const socket = new net.Socket();
    socket.on('error', () => {});
    socket.connect(9, '127.0.0.1');
    hook.disable();
    const Handle = socket._handle.constructor;
    const tried = [];
    for (const target of [at.local]) {
      const handle = new Handle(0);
      const request = new requests[0].constructor();
      request.oncomplete = (status) => tried.push(status);
      tried.push(handle.connect(request, target));
    }
    try { process.binding('tcp_wrap'); tried.push(0); } catch {}
    try { net.createServer().listen(0); tried.push(0); } catch {}
    try { new net.Socket({ fd: 0 }); } catch {}
    setTimeout(() => (tried.includes(0) ? got(tried) : failed(new Error(tried.join()))), 300);`,
  ),
  'connects to another local socket': attack(
    `const socket = require('node:net').connect(at.local); watch(socket, got, failed); socket.write('x');`,
    SOCKETS,
  ),
  'reads the environment': attack(
    firstOf(
      `process.env.HUSH`,
      `fs.readFileSync('/proc/self/environ')`,
      `fs.readFileSync('/proc/' + process.ppid + '/environ')`,
      `Object.keys(process.env).filter((name) => name !== 'NODE_ENV')[0]`,
      `process.report.getReport().environmentVariables.HUSH`,
    ),
  ),
  'signals the service': attack(
    firstOf(
      `process.kill(process.ppid, 0) && 'kill'`,
      `(process._kill(process.ppid, 0) === 0 || undefined) && '_kill'`,
      `process._debugProcess(process.ppid) ?? 'debug'`,
    ),
  ),
  'throws in a timer': attack(`setTimeout(() => { throw new Error('thrown in a timer'); }, 10);`),
  'never calls back': attack(''),
  'answers with too much': attack(`callback({ response: 'x'.repeat(16 * 1024 * 1024) }, null);`),
  'answers with what is no JSON': attack(`
    const cycle = {}; cycle.cycle = cycle;
    callback({ cycle, big: 1n, call() {} }, null);`),
  'loads native code': attack(
    firstOf(
      `process.dlopen({ exports: {} }, at.native) ?? 'dlopen'`,
      `Object.keys(require(at.native))`,
      `require('node:module')._extensions['.node']({ exports: {} }, at.native) ?? 'extension'`,
    ),
  ),
  'starts a thread': attack(
    firstOf(
      `new (require('node:worker_threads').Worker)('1', { eval: true }) && 'worker'`,
      `require('node:module').register('data:text/javascript,1') ?? 'hooks'`,
    ),
  ),
  'forges messages': attack(`
    Object.prototype.toJSON = undefined;
    Array.prototype.map = () => { throw new Error('mapped'); };
    JSON.parse = () => ({ type: 'reply', n: 1, data: { got: 'forged' } });
    const frame = (text) => { const head = Buffer.alloc(4); head.writeUInt32BE(Buffer.byteLength(text)); return Buffer.concat([head, Buffer.from(text)]); };
    for (let n = 0; n < 50; n += 1)
      fs.writeSync(3, frame('{"type":"reply","n":' + (n + 1000) + ',"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"data":{}}'));
    fs.writeSync(3, frame('{"type":"__proto__"}'));
    fs.writeSync(3, Buffer.from([255, 255, 255, 255, 1, 2, 3]));
    setTimeout(() => failed(new Error('still there')), 500);`),
  'looks up names': attack(`
    const dns = require('node:dns');
    const results = [];
    dns.lookup('example.com', (error, address) => { if (!error) results.push(address); });
    dns.resolve4('example.com', (error, address) => { if (!error) results.push(address); });
    import('node:dns/promises').then((names) => names.lookup('example.com')).then((found) => results.push(found.address), () => {});
    try { new dns.Resolver().resolve4('example.com', (error, all) => { if (!error) results.push(all); }); } catch {}
    try { const socket = require('node:dgram').createSocket('udp4'); socket.on('error', () => {});
      socket.send('x', 53, '127.0.0.1', (error) => { if (!error) results.push('datagram'); }); } catch {}
    setTimeout(() => (results.length > 0 ? got(results) : failed(new Error('no answer'))), 500);`),
  'reads files through WASI': attack(
    firstOf(
      `new (require('node:wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }) && 'wasi'`,
      `require('node:inspector').open(0) ?? 'inspector'`,
      `process.getBuiltinModule && new (process.getBuiltinModule('node:wasi').WASI)({ version: 'preview1' }) && 'wasi'`,
    ),
  ),
};
