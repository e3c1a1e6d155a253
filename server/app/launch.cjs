/**
 * Starts the service. The sources are compiled at every start, so no build output can become stale. A CommonJS module, because Node
 * reads those without threads: the first read of an ES module fixes their number.
 */

// Node has four threads for files, cryptography and names, and looks up two names at a time: two devices whose name server does not
// answer delayed the database, the directory and all other devices for ten seconds each. With 32 it looks up sixteen at a time
// (server/southbound/lookup.ts, docs/decisions/0183).
process.env.UV_THREADPOOL_SIZE ??= '32';

const { setFlagsFromString } = require('node:v8');
const { LATE_OPTIMISATION } = require('./optimisation.cjs');

// V8 allocates objects directly in the old generation at sites whose objects once lived long. A few waiting requests
// cause that for all later ones, and each such object keeps young objects alive: most of what a request allocated
// survived it, and garbage collection took a quarter of the time (bench/http, docs/decisions/0008).
setFlagsFromString('--no-allocation-site-pretenuring');

// `server/main.ts` ends this when the process serves or works.
for (const flag of LATE_OPTIMISATION) setFlagsFromString(flag);

async function start() {
  const { run } = await import('./compile.mjs');
  const { buildConsoleBeside } = await import('./console-build.mjs');
  await run('server/main.ts');
  // Other commands (backup, worker) serve no console.
  if (process.argv.length === 2) buildConsoleBeside();
}

start();
